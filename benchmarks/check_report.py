#!/usr/bin/env python3
"""Opens a page in headless Chromium and tests what a reader would see: a benchmark report, or with --record the report
of a check.

usage: check_report.py [--record] REPORT.html [SCREENSHOT_DIR]

At 1280, 838 and 390 pixels, light and dark: there are no console errors, network requests or horizontal scrolling; every chart
has bars or points; bars begin at one position and their lengths match their values; labels of a chart do not overlap or leave
it, and are not crossed by a limit line; a label over a shape is painted after it with a halo. Text has a contrast of 4.5 to
the background, shapes 3. A record needs no charts: there, all text has that contrast to its background, and nothing extends
beyond the edge of the page, with details collapsed and expanded. Exit status: 1 with a line for each fault; 77 if the Python
package playwright or a Chromium is missing (CHROMIUM, or the first of chromium, chromium-browser, google-chrome on PATH).
"""

import os
import pathlib
import shutil
import sys

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("check_report.py: no Python package playwright (pip install playwright)")
    sys.exit(77)

WIDTHS = (1280, 838, 390)
SCHEMES = ("light", "dark")

# Returns all visible faults of charts, and their number.
INSPECT = """
() => {
  const faults = [];
  const seen = element => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden';
  const overlap = (a, b, slack) =>
    a.left + slack < b.right && b.left + slack < a.right && a.top + slack < b.bottom && b.top + slack < a.bottom;
  const channel = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = color => {
    const [r, g, b] = color.match(/[\d.]+/g).map(value => channel(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = luminance(getComputedStyle(document.body).backgroundColor);
  const contrast = color => {
    const [light, dark] = [luminance(color), ground].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const charts = [...document.querySelectorAll('figure svg')].filter(seen);
  for (const chart of charts) {
    const name = chart.getAttribute('aria-label');
    if (chart.querySelectorAll('rect, circle').length === 0) faults.push(`${name}: nothing is drawn`);
    const frame = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    if (labels.length === 0) faults.push(`${name}: no labels`);
    const texts = [...chart.querySelectorAll('text')];
    const limits = [...chart.querySelectorAll('line.k')].map(line => line.getBoundingClientRect());
    const shapes = [...chart.querySelectorAll('rect, line, circle, polyline')];
    for (const text of texts) {
      const box = text.getBoundingClientRect();
      const style = getComputedStyle(text);
      for (const line of limits)
        if (line.left > box.left && line.left < box.right && line.top + 2 < box.bottom && box.top + 2 < line.bottom)
          faults.push(`${name}: a limit's line crosses '${text.textContent}'`);
      for (const shape of shapes)
        if (overlap(box, shape.getBoundingClientRect(), 1)) {
          if (shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_PRECEDING)
            faults.push(`${name}: '${text.textContent}' lies under a ${shape.tagName}`);
          if (parseFloat(style.strokeWidth) < 3 || !style.paintOrder.startsWith('stroke'))
            faults.push(`${name}: '${text.textContent}' has no halo`);
        }
      if (contrast(style.fill) < 4.5) faults.push(`${name}: '${text.textContent}' is hard to read`);
    }
    for (const shape of chart.querySelectorAll('rect, circle'))
      if (contrast(getComputedStyle(shape).fill) < 3) faults.push(`${name}: a ${shape.tagName} is hard to see`);
    // Bars with their values, each known to half of its last digit: the longest says how long a unit is.
    const bars = [...chart.querySelectorAll('rect')].map(bar => {
      const found = bar.textContent.match(/: ([\d.,]+) \S/);
      if (!found) return null;
      const digits = found[1].replaceAll(',', '');
      const error = 0.51 * 10 ** -(digits.split('.')[1] || '').length;
      return { value: parseFloat(digits), error, start: bar.x.baseVal.value, width: bar.width.baseVal.value };
    }).filter(bar => bar);
    const longest = bars.reduce((a, b) => (b.value > a.value ? b : a), { value: 0 });
    for (const bar of bars) {
      if (bar.start !== bars[0].start) faults.push(`${name}: bars do not begin at one place`);
      const unit = longest.width / longest.value;
      const slack = 1.1 + unit * (bar.error + longest.error * bar.value / longest.value);
      // A pixel is the shortest.
      if (Math.abs(bar.width - Math.max(1, bar.value * unit)) > slack)
        faults.push(`${name}: a bar of ${bar.value} is ${bar.width} long where ${longest.value} is ${longest.width}`);
    }
    labels.forEach(([text, a], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        faults.push(`${name}: '${text}' leaves the chart`);
      // Half a pixel of tolerance: boxes include the font's own leading.
      for (const [other, b] of labels.slice(0, i))
        if (a.left + 0.5 < b.right && b.left + 0.5 < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom)
          faults.push(`${name}: '${text}' overlaps '${other}'`);
    });
  }
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth + 1)
    faults.push(`the page is ${page.scrollWidth} pixels wide in a window of ${page.clientWidth}`);
  return [faults, charts.length];
}
"""

# Returns the faults of a page of text, after unfolding everything.
RECORD = """
() => {
  const faults = [];
  document.querySelectorAll('details').forEach(details => { details.open = true; });
  const channel = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = parts(color).map(value => channel(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (parts(color).length === 3 || parts(color)[3] > 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [...document.body.querySelectorAll('*')].filter(element => !element.closest('svg')
    && [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()));
  const edge = document.documentElement.clientWidth + 1;
  for (const text of texts) {
    const [light, dark] = [luminance(getComputedStyle(text).color), luminance(behind(text))].sort((a, b) => b - a);
    const words = text.textContent.trim().slice(0, 40);
    if ((light + 0.05) / (dark + 0.05) < 4.5) faults.push(`'${words}' is hard to read`);
    if ([...text.getClientRects()].some(box => box.right > edge || box.left < -1)) faults.push(`'${words}' leaves the page`);
  }
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth + 1)
    faults.push(`the page is ${page.scrollWidth} pixels wide in a window of ${page.clientWidth}`);
  if (document.scripts.length > 0) faults.push('the page has a script');
  return [faults, texts.length];
}
"""


def chromium():
    names = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    found = [shutil.which(name) for name in names if name]
    if not any(found):
        print("check_report.py: no Chromium (apt install chromium)")
        sys.exit(77)
    return next(filter(None, found))


def main():
    words = [word for word in sys.argv[1:] if word != "--record"]
    inspect, what = (RECORD, "texts") if len(words) < len(sys.argv) - 1 else (INSPECT, "charts")
    if len(words) not in (1, 2):
        sys.exit(__doc__)
    report = pathlib.Path(words[0]).resolve()
    shots = pathlib.Path(words[1]) if len(words) == 2 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    faults, charts = [], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for width in WIDTHS:
            for scheme in SCHEMES:
                where = f"{width} px, {scheme}"
                page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                page.on("console", lambda m, w=where: faults.append(f"{w}: console: {m.text}") if m.type in ("error", "warning") else None)
                page.on("pageerror", lambda error, w=where: faults.append(f"{w}: {error}"))
                page.on("request", lambda r, w=where: faults.append(f"{w}: fetches {r.url}") if not r.url.startswith(("file:", "data:")) else None)
                page.goto(report.as_uri())
                found, count = page.evaluate(inspect)
                faults += [f"{where}: {fault}" for fault in found]
                charts += count
                if count == 0:
                    faults.append(f"{where}: no {what}")
                if shots:
                    page.screenshot(path=shots / f"{report.stem}-{width}-{scheme}.png", full_page=True)
                page.close()
        browser.close()
    for fault in faults:
        print(fault)
    print(f"{report.name}: {charts} {what} looked at, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
