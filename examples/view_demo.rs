//! Looks at the view with synthetic shapes: `view_demo SCENE`.
use glam::{DVec3, Vec2};
use macroquad::prelude::{Conf, next_frame};
use ropelab::app::view::*;
use ropelab::constraint::{Link, LinkKind};
use ropelab::mesh::{ClothMaterial, Mesh, RopeMaterial};
use std::time::Instant;

fn rope_material() -> RopeMaterial {
    RopeMaterial {
        mass_per_metre: 0.1,
        stiffness: 1e3,
        damping: 0.0,
        bend_stiffness: 0.0,
        rigid: false,
        one_sided: false,
        radius: 0.008,
    }
}
fn cloth_material() -> ClothMaterial {
    ClothMaterial {
        areal_density: 0.2,
        stretch_stiffness: 100.0,
        shear_stiffness: 10.0,
        bend_stiffness: 0.0,
        damping: 0.0,
        rigid: false,
        one_sided: false,
    }
}

fn mesh(scene: &str) -> Mesh {
    let mut mesh = Mesh::default();
    let size: u32 = std::env::args().nth(2).and_then(|s| s.parse().ok()).unwrap_or(40);
    match scene {
        "cloth" => {
            mesh.cloth(
                DVec3::new(-1.0, 2.4, 0.0),
                DVec3::new(2.0, 0.0, 0.0),
                DVec3::new(0.0, -1.9, 0.0),
                [size, size],
                &cloth_material(),
            );
        }
        "net" => {
            mesh.net(
                DVec3::new(-1.2, 2.4, 0.0),
                DVec3::new(2.4, 0.0, 0.0),
                DVec3::new(0.0, -2.0, 0.0),
                [16, 14],
                &rope_material(),
            );
        }
        "bars" => {
            for i in 0..4 {
                let x = f64::from(i) * 0.6 - 0.9;
                let a = mesh.particle(DVec3::new(x, 1.6, 0.0), 1.0);
                let b = mesh.particle(DVec3::new(x + 0.3, 1.0, 0.0), 1.0);
                let c = mesh.particle(DVec3::new(x - 0.1, 0.5, 0.2), 1.0);
                for (a, b) in [(a, b), (b, c)] {
                    mesh.links.push(Link {
                        a,
                        b,
                        rest: 0.6,
                        stiffness: 1.0,
                        damping: 0.0,
                        kind: LinkKind::Structural,
                        one_sided: false,
                        rigid: true,
                    });
                }
            }
        }
        _ => {
            mesh.rope(
                DVec3::new(-1.3, 1.9, 0.0),
                DVec3::new(1.3, 1.9, 0.0),
                2.9,
                size,
                &rope_material(),
            );
            let mut thick = rope_material();
            thick.radius = 0.03;
            mesh.rope(DVec3::new(0.3, 2.4, 0.0), DVec3::new(0.3, 0.02, 0.0), 2.2, 24, &thick);
            mesh.rope(
                DVec3::new(-1.2, 0.05, 0.0),
                DVec3::new(-0.2, 0.05, 0.6),
                1.2,
                20,
                &rope_material(),
            );
        }
    }
    mesh
}

fn wave(rest: &[DVec3], scene: &str, lane: usize, t: f64, out: &mut Vec<DVec3>) {
    out.clear();
    let t = t + 0.35 * lane as f64;
    out.extend(rest.iter().map(|&p| match scene {
        "cloth" => {
            let down = 2.4 - p.y;
            p + DVec3::new(
                0.04 * (3.0 * p.y + 2.0 * t).sin(),
                0.03 * (4.0 * p.x + t).cos() * down,
                0.22 * down * (2.6 * p.x + 1.9 * p.y + 2.0 * t).sin() * 0.7,
            )
        }
        "net" => {
            let down = 2.4 - p.y;
            p + DVec3::new(
                0.1 * down * (2.0 * t).sin(),
                -0.08 * down * (1.0 - (p.x / 1.2).powi(2)) * 2.0,
                0.2 * down * (2.0 * p.x + 2.0 * t).sin(),
            )
        }
        "bars" => p + DVec3::new(0.1 * (t + p.y).sin(), 0.0, 0.0),
        _ if p.y > 0.1 => {
            let sag =
                if (p.y - 1.9).abs() < 1e-9 { 0.55 * (1.0 - (p.x / 1.3).powi(2)) } else { 0.0 };
            p + DVec3::new(
                0.12 * (2.4 - p.y) * (3.0 * p.y + 1.3 * t).sin(),
                -sag + 0.06 * (4.0 * p.x + 2.0 * t).sin() * (1.0 - (p.x / 1.3).powi(2)),
                0.0,
            )
        }
        _ => p + DVec3::new(0.0, 0.0, 0.15 * (9.0 * p.x).sin()),
    }));
}

async fn run() {
    let scene = std::env::args().nth(1).unwrap_or("rope".into());
    let count: usize = std::env::args().nth(3).and_then(|s| s.parse().ok()).unwrap_or(1);
    let flags: Vec<String> = std::env::args().skip(4).collect();
    let has = |f: &str| flags.iter().any(|x| x == f);
    let mesh = mesh(&scene);
    let t0 = Instant::now();
    let shape =
        Shape::new(mesh.positions.len(), &mesh.ropes, &mesh.cloths, &mesh.faces, &mesh.links);
    eprintln!("shape {:.1} ms", t0.elapsed().as_secs_f64() * 1e3);
    let fonts = egui_macroquad::egui::FontDefinitions::default();
    let font = fonts.font_data.get("Ubuntu-Light").map(|f| f.font.to_vec());
    let mut view = View::new(font.as_deref()).expect("shaders");
    let bounds = Bounds::around(&mesh.positions)
        .unwrap()
        .union(Bounds { min: DVec3::ZERO, max: DVec3::ZERO });
    let mut camera = Camera::new(bounds, 1.6);
    if has("orbit") {
        camera.set_kind(Kind::Orbit);
        camera.settle();
    }
    let mut positions = vec![Vec::new(); count];
    let mut pinned = vec![false; mesh.positions.len()];
    for (i, p) in mesh.positions.iter().enumerate() {
        pinned[i] = (p.y - 2.4).abs() < 1e-9 && (scene != "cloth" || i % 5 == 0)
            || ((p.y - 1.9).abs() < 1e-9 && p.x.abs() > 1.29);
    }
    let balls: Vec<Ball> = if has("balls") {
        vec![Ball { centre: DVec3::new(-0.5, 0.4, 0.1), radius: 0.4 }]
    } else {
        vec![]
    };
    let (mut total, mut frames) = (0.0, 0);
    let mut t = 0.0;
    let mut cpu = 0.0;
    let mut since = Instant::now();
    loop {
        let scale = macroquad::window::screen_dpi_scale();
        let (w, h) = macroquad::miniquad::window::screen_size();
        if !has("still") {
            t += 1.0 / 60.0;
        }
        for (lane, out) in positions.iter_mut().enumerate() {
            wave(&mesh.positions, &scene, lane, t, out);
            if has("bad") {
                let n = out.len();
                out[n / 2] = DVec3::NAN;
                out[n / 3].y = 1e200;
            }
        }
        let overlay = has("overlay");
        let options = ViewOptions {
            strain_colors: has("strain"),
            dots: has("dots"),
            links: has("links"),
            antialias: !has("rough"),
            floor: if has("nofloor") { None } else { Some(0.0) },
            ..ViewOptions::default()
        };
        let (mx, my) = macroquad::input::mouse_position();
        let cursor = Vec2::new(mx, my) * scale;
        let wheel = macroquad::input::mouse_wheel().1;
        let pictures: Vec<LanePicture> = positions
            .iter()
            .enumerate()
            .map(|(i, p)| LanePicture {
                positions: p,
                pinned: &pinned,
                alive: None,
                balls: &balls,
                color: lane_color(i),
                faded: has("faded") && i == 1,
            })
            .collect();
        let columns = if overlay { 1 } else { (count as f32).sqrt().ceil() as usize };
        let rows = if overlay { 1 } else { count.div_ceil(columns) };
        let start = Instant::now();
        view.begin_frame();
        for i in 0..columns * rows {
            if i >= count {
                break;
            }
            let (cw, ch) = (w / columns as f32, h / rows as f32);
            let rect = macroquad::math::Rect::new(
                (i % columns) as f32 * cw + 1.0,
                (i / columns) as f32 * ch + 1.0,
                cw - 2.0,
                ch - 2.0,
            );
            let viewport = Viewport::new(rect, scale);
            let lanes = if overlay { &pictures[..] } else { &pictures[i..i + 1] };
            let mut marks = Marks::default();
            if viewport.contains(cursor) {
                if wheel != 0.0 {
                    camera.zoom_at(cursor, wheel.signum(), &viewport);
                }
                if macroquad::input::is_mouse_button_down(macroquad::input::MouseButton::Middle) {
                    let d = macroquad::input::mouse_delta_position();
                    camera.orbit(Vec2::new(-d.x * w / 2.0, -d.y * h / 2.0), &viewport);
                }
                marks.cursor = Some(cursor);
                marks.hovered =
                    nearest(lanes[0].positions, &camera, &viewport, cursor, 30.0 * scale)
                        .map(|i| lanes[0].positions[i]);
                if has("grab") {
                    if let Some(p) = nearest(lanes[0].positions, &camera, &viewport, cursor, 3000.0)
                    {
                        let p = lanes[0].positions[p];
                        marks.hovered = None;
                        marks.grabs = vec![Grab {
                            particle: p,
                            hand: camera.world_from_screen(cursor, p, &viewport),
                        }];
                    }
                }
            }
            if !has("nothing") {
                view.draw(&viewport, &camera, &shape, lanes, &options, &marks);
            }
        }
        total += start.elapsed().as_secs_f64();
        frames += 1;
        camera.ease(1.0 / 60.0);
        if frames == 60 {
            eprintln!(
                "{:.3} ms a frame in the view, {:.2} ms between frames",
                total * 1e3 / 60.0,
                since.elapsed().as_secs_f64() * 1e3 / 60.0
            );
            since = Instant::now();
            let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
            let f: Vec<&str> = stat.split_whitespace().collect();
            let ticks: f64 = f[13].parse::<f64>().unwrap() + f[14].parse::<f64>().unwrap();
            eprintln!("   process CPU {:.1} ms a frame", (ticks - cpu) * 10.0 / 60.0);
            cpu = ticks;
            total = 0.0;
            frames = 0;
        }
        if has("egui") {
            egui_macroquad::ui(|ctx| {
                egui_macroquad::egui::Window::new("Panel").show(ctx, |ui| {
                    ui.label("Text after the scene");
                });
            });
            macroquad::shapes::draw_circle(100.0, 100.0, 20.0, macroquad::color::WHITE);
            egui_macroquad::draw();
        }
        next_frame().await;
    }
}

fn main() {
    macroquad::Window::from_config(
        Conf {
            window_title: "view_demo".into(),
            window_width: 1280,
            window_height: 800,
            high_dpi: true,
            sample_count: 1,
            ..Conf::default()
        },
        run(),
    );
}
