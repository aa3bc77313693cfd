//! Charts as PNG, for places that do not display SVG.

use super::chart::Theme;
use super::report::Report;
use crate::Error;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

/// Pixels per unit of the chart: sharp on high-resolution screens.
const SCALE: f32 = 2.0;

/// Returns each chart of a report with its name, in light colors.
///
/// Text is set in the system's sans-serif font.
///
/// # Errors
/// The system has no font, or a chart cannot be drawn.
pub fn charts(report: &Report) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut options = usvg::Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    if fonts.is_empty() {
        return Err(Error(
            "no font for the charts (install one, for example with the package fonts-dejavu-core)".to_owned(),
        ));
    }
    // The generic name refers to a font that may not be installed; any installed sans-serif font is
    // suitable.
    let names: Vec<String> =
        fonts.faces().filter_map(|face| Some(face.families.first()?.0.clone())).collect();
    let wanted = ["DejaVu Sans", "Noto Sans", "Liberation Sans", "Arial", "Helvetica"];
    let family = wanted.into_iter().find(|wanted| names.iter().any(|name| name == wanted));
    fonts.set_sans_serif_family(family.unwrap_or(&names[0]));
    let mut images = Vec::new();
    for section in &report.sections {
        let Some(chart) = &section.chart else { continue };
        let failed =
            |why: &dyn std::fmt::Display| Error(format!("cannot draw the chart {}: {why}", section.id));
        let tree =
            usvg::Tree::from_str(&chart.svg(720, Theme::Light), &options).map_err(|why| failed(&why))?;
        let size = tree.size();
        let (width, height) = ((size.width() * SCALE).ceil() as u32, (size.height() * SCALE).ceil() as u32);
        let mut pixels = Pixmap::new(width, height).ok_or_else(|| failed(&"it has no area"))?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        images.push((section.id.clone(), pixels.encode_png().map_err(|why| failed(&why))?));
    }
    Ok(images)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn every_chart_renders_to_a_nonempty_png() {
        let path = format!("{}/tests/golden/limit.json", env!("CARGO_MANIFEST_DIR"));
        let record = Record::read(path.as_ref()).unwrap();
        let report = crate::models::report(&record);
        let images = charts(&report).unwrap();
        assert_eq!(images.len(), 1);
        let pixels = Pixmap::decode_png(&images[0].1).unwrap();
        assert_eq!(pixels.width(), 2 * 728);
        let ink =
            pixels.pixels().iter().filter(|p| (p.red(), p.green(), p.blue()) != (255, 255, 255)).count();
        assert!(ink > 20_000, "{ink}");
    }
}
