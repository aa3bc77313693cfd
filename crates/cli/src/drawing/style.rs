//! The style shared by all HTML pages. Each color has one meaning: green matches, red does not
//! match, amber needs attention, grey is missing at the end of a file. `--good` and `--gone` fill
//! areas; `--fine` is for text on the background.

/// Rules at the beginning of every page.
const STYLE: &str = "\
:root { --page: #fff; --text: #1c2024; --soft: #5c6670; --line: #d8dde2; --tint: #f3f5f7; --good: #a8d5b5; --bad: #c8321e; --gone: #7a828a; --unsure: #8f6400; --fine: #1f6f43 }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171a; --text: #e4e8ec; --soft: #98a2ac; --line: #333a41; --tint: #1d2125; --good: #2c6345; --bad: #ff6a52; --gone: #8d969e; --unsure: #e0ad3c; --fine: #6fcf97 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 24px 16px 48px; max-width: 960px; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
p { margin: 0 0 16px }
.verdict { padding: 8px 12px; border-left: 4px solid var(--unsure) }
.verdict.good { border-color: var(--fine) }
.verdict.bad { border-color: var(--bad) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0 0 20px }
dt, figcaption, .more { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
figure { margin: 0 0 20px }
svg { display: block; width: 100% }
svg .g, .key .g { fill: var(--good); background: var(--good) }
svg .b, .key .b { fill: var(--bad); background: var(--bad) }
svg .m, .key .m { fill: var(--gone); background: var(--gone) }
figcaption { margin-top: 6px; font-size: 14px }
.key .good { background: var(--fine) }
.key .bad { background: var(--bad) }
.key .unsure { background: var(--unsure) }
.key i { display: inline-block; width: 12px; height: 12px; margin: 0 5px 0 12px; vertical-align: -1px }
.key i:first-child { margin-left: 0 }
.table { overflow-x: auto }
table { border-collapse: collapse; font-size: 15px; font-variant-numeric: tabular-nums }
";

/// Returns the beginning of a page, up to its title. `mark` is the element that identifies the
/// page, and `own` are additional style rules.
pub fn head(mark: &str, own: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{mark}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <style>\n{STYLE}{own}</style>\n"
    )
}
