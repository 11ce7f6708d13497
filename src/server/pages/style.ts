/** Style sheet of all pages. Colours meet WCAG AA in both schemes; nothing is loaded from other hosts. */
export const style = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--text:#1a1d21;--soft:#545b64;--line:#c3c9d1;--edge:#767e88;--accent:#0b5cad;--on:#fff;--bad:#a3170f;--bad-back:#fdeceb;--good:#17652f;--good-back:#e8f5ec;--mark:#eaf1f9}
@media (prefers-color-scheme:dark){:root{--back:#14171a;--card:#1d2126;--text:#eceff2;--soft:#aab2bb;--line:#3b434c;--edge:#838d98;--accent:#7db8f5;--on:#0d1b2a;--bad:#ff9d94;--bad-back:#3a1d1b;--good:#8fd8a6;--good-back:#17301f;--mark:#243240}}
*{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;background:var(--back);color:var(--text)}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;padding:1rem}
header,main,footer{width:100%;max-width:28rem}
.wide main,.wide header,.wide footer{max-width:52rem}
header{display:flex;justify-content:space-between;align-items:baseline;gap:1rem;padding:.25rem .25rem .75rem;color:var(--soft)}
header strong{color:var(--text)}
main{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem;overflow-wrap:anywhere}
footer{padding:.75rem .25rem;color:var(--soft);font-size:.875rem}
footer nav ul{display:flex;gap:1rem;list-style:none;margin:0;padding:0}
h1{font-size:1.375rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1.0625rem;margin:1.5rem 0 .5rem}
h3{font-size:1rem;margin:0}
.invite{border:1px solid var(--line);border-radius:.5rem;padding:.875rem;margin:1rem 0}
.entry{font-size:1rem;margin:0}
p{margin:.5rem 0}
a{color:var(--accent)}
.soft{color:var(--soft)}
.small{font-size:.875rem}
.name{overflow-wrap:anywhere}
label{display:block;font-weight:600;margin:1rem 0 .25rem}
label.tick{display:flex;gap:.625rem;align-items:flex-start;font-weight:400;margin:.375rem 0}
label.tick input{margin:.3rem 0 0;flex:none}
input:not([type=checkbox]):not([type=radio]),select,textarea{width:100%;font:inherit;padding:.5rem .625rem;border:1px solid var(--edge);border-radius:.375rem;background:var(--card);color:var(--text)}
input[type=checkbox],input[type=radio]{width:1.125rem;height:1.125rem;accent-color:var(--accent)}
input[aria-invalid=true]:not([type=radio]){border-color:var(--bad)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.hint{margin:.25rem 0 0;color:var(--soft);font-size:.875rem}
.hint.good{color:var(--good)}.hint.bad{color:var(--bad)}
form+form{margin-top:1.5rem}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button,.button{font:inherit;font-weight:600;padding:.5rem 1.125rem;border-radius:.375rem;border:1px solid var(--accent);background:var(--accent);color:var(--on);cursor:pointer;text-decoration:none;display:inline-block}
button.second,.button.second{background:transparent;color:var(--accent)}
button.bad{background:transparent;border-color:var(--bad);color:var(--bad)}
button.link{background:none;border:0;padding:0;color:var(--accent);text-decoration:underline;font-weight:400}
button[disabled]{opacity:.6;cursor:default}
.problem,.note,.done{border-radius:.375rem;padding:.625rem .875rem;margin:0 0 1rem;border-left:4px solid}
.problem{background:var(--bad-back);border-color:var(--bad);color:var(--bad)}
.problem p,.note p,.done p{margin:0}
.note{background:var(--mark);border-color:var(--accent)}
.done{background:var(--good-back);border-color:var(--good)}
ul.rows{list-style:none;margin:.5rem 0;padding:0;border:1px solid var(--line);border-radius:.5rem}
ul.rows>li{padding:.625rem .875rem}
ul.rows>li+li{border-top:1px solid var(--line)}
fieldset{border:0;margin:0;padding:0;min-width:0}
.apart{margin-top:1rem}
.codes{padding-left:2rem;font-size:.75rem}
legend{padding:0;font-weight:600}
.app{display:flex;gap:.875rem;align-items:center;margin-bottom:1rem}
.app img{width:3rem;height:3rem;border-radius:.625rem;flex:none}
.row{display:flex;flex-direction:column;min-width:0}
ul.rows label{margin:0}
figure{margin:1rem 0 1.25rem}
blockquote{margin:.25rem 0 0;padding-left:.75rem;border-left:3px solid var(--line);overflow-wrap:anywhere}
.tag{display:inline-block;font-size:.8125rem;padding:0 .5rem;border-radius:1rem;background:var(--mark);color:var(--text)}
code,.code{font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.qr{display:block;width:14rem;max-width:100%;height:auto;background:#fff;border-radius:.5rem;margin:1rem auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.5rem .5rem .5rem 0;border-top:1px solid var(--line)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.125rem .75rem;margin:.375rem 0}
.facts dt{grid-column:1;color:var(--soft)}
.facts dd{grid-column:2;margin:0}
pre{background:var(--back);border:1px solid var(--line);border-radius:.375rem;padding:.625rem .75rem;margin:.5rem 0;font-size:.8125rem;white-space:pre-wrap;overflow-wrap:anywhere}
.api{font-size:.875rem}
.api thead th{border-top:0;color:var(--soft);font-weight:600}
.api th[scope=row]{font-weight:400;width:30%}
.api td{overflow-wrap:anywhere}
.api .tag{margin-left:.375rem}
.method{border-top:1px solid var(--line);margin-top:1.5rem}
.method .split{align-items:baseline}
.method h3{font-size:.9375rem;margin-top:1rem}
.methods,.groups{list-style:none;margin:.5rem 0;padding:0}
.methods li{display:grid;grid-template-columns:minmax(0,16rem) 1fr;gap:0 1rem;padding:.25rem 0}
.groups{display:flex;flex-wrap:wrap;gap:.375rem .875rem}
.groups [aria-current]{color:var(--text);font-weight:600}
[hidden]{display:none!important}
@media (max-width:40rem){.stacked{grid-template-columns:1fr}.stacked dd{grid-column:1;margin-bottom:.375rem}.methods li{grid-template-columns:1fr;padding:.375rem 0}.api thead{position:absolute;clip-path:inset(50%)}.api tr,.api th,.api td{display:block;width:auto;padding:.125rem 0;border:0}.api tr{border-top:1px solid var(--line);padding:.375rem 0}.api th[scope=row]{width:auto}}
.split{display:flex;justify-content:space-between;gap:1rem;flex-wrap:wrap}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (prefers-reduced-motion:no-preference){button{transition:opacity .15s}}
`
