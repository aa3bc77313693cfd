//! Drawings of a tree: DOT for Graphviz, or SVG with bars whose width is the share of the file they
//! cover.
//!
//! Names of nodes are derived from their position (`n`, `n0`, `n01`; 0 is left), so the same file
//! produces the same drawing.

use crate::drawing::xml::{WIDTH, escaped};
use std::fmt::Write;
use std::ops::Range;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::tree::outline::{Node, Outline};

/// Returns the tree as DOT.
pub fn dot(outline: &Outline, spec: &Spec) -> String {
    let mut text = String::from("digraph tree {\n  node [shape=box, fontname=monospace];\n");
    if outline.digest() != outline.root().hash() {
        let _ = writeln!(text, "  digest [label=\"{spec}\\n{}\"];\n  digest -> n;", outline.digest());
    }
    dot_node(outline.root(), "n", &mut text);
    text.push_str("}\n");
    text
}

fn dot_node(node: &Node, name: &str, text: &mut String) {
    let Range { start, end } = node.range();
    let _ = writeln!(text, "  {name} [label=\"{start}..{end}\\n{}\"];", node.hash());
    for (side, child) in node.children().iter().enumerate() {
        let _ = writeln!(text, "  {name} -> {name}{side};");
        dot_node(child, &format!("{name}{side}"), text);
    }
}

const ROW: f64 = 28.0;

/// Returns the tree as SVG.
pub fn svg(outline: &Outline, spec: &Spec, name: &[u8]) -> String {
    let height = ROW * (depth(outline.root()) + 2) as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
         <text x=\"4\" y=\"18\">{} {spec} {}</text>\n",
        escaped(&display_safe(name)),
        outline.digest()
    );
    let size = outline.root().range().end.max(1);
    svg_node(outline.root(), size, 1, &mut text);
    text.push_str("</svg>\n");
    text
}

fn depth(node: &Node) -> usize {
    node.children().iter().map(|child| 1 + depth(child)).max().unwrap_or(0)
}

fn svg_node(node: &Node, size: u64, row: usize, text: &mut String) {
    let place = |offset: u64| offset as f64 / size as f64 * WIDTH;
    let (x, y) = (place(node.range().start), row as f64 * ROW);
    let width = place(node.range().end) - x;
    let hex = node.hash().to_hex();
    let fill = if node.children().is_empty() { "#d8e8d0" } else { "#d0dcec" };
    let _ = writeln!(
        text,
        "<g><title>{}..{} {hex}</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\" fill=\"{fill}\" stroke=\"white\"/>",
        node.range().start,
        node.range().end,
        ROW - 2.0
    );
    // At this font size, a character is about 7.3 units wide.
    let room = ((width - 8.0) / 7.3).max(0.0) as usize;
    if room >= 6 {
        let _ = writeln!(
            text,
            "<text x=\"{:.2}\" y=\"{}\">{}</text>",
            x + 4.0,
            y + 17.0,
            &hex[..hex.len().min(room)]
        );
    }
    text.push_str("</g>\n");
    for child in node.children() {
        svg_node(child, size, row + 1, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truesum::Progress;
    use truesum::tree::outline::outline;
    use truesum::tree::reading::Reading;

    fn drawing(size: usize, name: &str) -> (Outline, Spec) {
        // The file is closed, because a file that is open for writing would be refused.
        let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        std::fs::write(&file, vec![3; size]).unwrap();
        let spec: Spec = name.parse().unwrap();
        let outline = outline(&file, &spec, 4, &Reading::new(&Progress::default())).unwrap();
        assert_eq!(*outline.digest(), spec.digest(&vec![3; size]));
        (outline, spec)
    }

    #[test]
    fn every_node_is_drawn_once_and_graphviz_accepts_it() {
        for (size, name, nodes) in [
            (300_000, "sha256-tree", 9),
            (0, "sha256-tree", 1),
            (1000, "mtsum-md5", 3),
            (5 << 20, "blake3", 9),
            (10, "blake3", 1),
        ] {
            let (outline, spec) = drawing(size, name);
            let text = dot(&outline, &spec);
            assert_eq!(text.matches("..").count(), nodes, "{text}");
            assert_eq!(svg(&outline, &spec, b"<&>").matches("<rect").count(), nodes);
            let graphviz = std::process::Command::new("dot")
                .arg("-Tsvg")
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::piped())
                .spawn();
            let Ok(mut graphviz) = graphviz else {
                eprintln!("Graphviz is not installed: its reading of the drawing was not tried");
                continue;
            };
            std::io::Write::write_all(&mut graphviz.stdin.take().unwrap(), text.as_bytes()).unwrap();
            let drawn = graphviz.wait_with_output().unwrap();
            assert!(drawn.status.success());
            let drawn = String::from_utf8(drawn.stdout).unwrap();
            let extra = usize::from(outline.digest() != outline.root().hash());
            assert_eq!(drawn.matches("class=\"node\"").count(), nodes + extra);
        }
    }
}
