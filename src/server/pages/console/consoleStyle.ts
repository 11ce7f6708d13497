/** Style sheet of the console, on top of that of all pages. One column up to 56 rem, above it a column for the navigation. */
export const consoleStyleText = `
body.console{display:block;padding:0}
.console header.top,.console .columns,.console footer{width:100%;max-width:84rem;margin:0 auto;padding:0 1rem}
.console header.top{display:flex;align-items:center;gap:1rem;min-height:3.75rem;position:relative;z-index:5}
.brand{display:flex;align-items:center;gap:.625rem;text-decoration:none;color:var(--text);margin-right:auto;min-width:0}
.brand strong{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.mark{flex:none}
.icon{flex:none;vertical-align:-.25em}
.skip{position:absolute;left:-999rem;background:var(--card);padding:.5rem 1rem;z-index:10}
.skip:focus{left:1rem;top:.5rem}
.acting{max-width:82rem;margin:0 auto 1rem;padding:.5rem .875rem;background:var(--mark);border-radius:.375rem}
.columns{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem;align-items:start}
.console main{max-width:none;background:none;border:0;padding:0 0 2rem;border-radius:0}
.console main:focus{outline:none}
.console footer{display:flex;flex-wrap:wrap;gap:1rem;justify-content:space-between;padding:1rem;border-top:1px solid var(--line)}
.sections{list-style:none;margin:0;padding:0}
.sections a{display:flex;align-items:center;gap:.75rem;padding:.5rem .75rem;border-radius:.5rem;color:var(--text);text-decoration:none}
.sections a:hover{background:var(--mark)}
.sections a[aria-current]{background:var(--mark);color:var(--accent);font-weight:600}
.wide-only{display:none}
@media (min-width:56rem){.columns{grid-template-columns:13rem minmax(0,1fr);gap:2rem}.wide-only{display:block}.narrow-only{display:none!important}.side{position:sticky;top:1rem}}
details.menu{position:relative}
details.menu>summary{list-style:none;cursor:pointer;display:flex;align-items:center;gap:.5rem;padding:.375rem .5rem;border-radius:.375rem;color:var(--text)}
details.menu>summary::-webkit-details-marker{display:none}
details.menu>summary:hover,details.menu[open]>summary{background:var(--mark)}
.drawer{position:absolute;z-index:6;top:100%;right:0;min-width:13rem;max-width:min(22rem,calc(100vw - 2rem));background:var(--card);border:1px solid var(--line);border-radius:.625rem;padding:.5rem;box-shadow:0 .5rem 1.5rem #0003}
.drawer p{margin:.25rem .5rem}
.drawer .plain a,.drawer button{display:block;width:100%;text-align:left}
ul.plain{list-style:none;margin:.25rem 0;padding:0}
.drawer .plain a,.drawer .plain button{padding:.375rem .5rem;border-radius:.375rem;color:var(--text);text-decoration:none;background:none;border:0;font-weight:400}
.drawer .plain a:hover,.drawer .plain button:hover{background:var(--mark)}
.drawer .plain button.bad{color:var(--bad)}
.avatar{display:inline-flex;width:1.875rem;height:1.875rem;border-radius:50%;background:var(--accent);color:var(--on);align-items:center;justify-content:center;font-weight:600;flex:none}
.account .name{max-width:12rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1rem;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.125rem;min-width:0;overflow-wrap:anywhere}
.card>h2:first-child,.card>h3:first-child{margin-top:0}
.console h2{margin:1.75rem 0 .5rem}
.console ul.rows{background:var(--card)}
.figure{font-size:1.625rem;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem;border-bottom:1px solid var(--line);margin:0 0 1rem}
.tabs a{padding:.5rem .75rem;text-decoration:none;color:var(--soft);border-bottom:2px solid transparent;margin-bottom:-1px}
.tabs a:hover{color:var(--text)}
.tabs a[aria-current]{color:var(--text);border-color:var(--accent);font-weight:600}
.empty{text-align:center;color:var(--soft);padding:2.5rem 1rem;border:1px dashed var(--line);border-radius:.75rem}
.empty .icon{width:2.25rem;height:2.25rem}
.bar{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin:0 0 1rem}
.bar>*{margin:0}
.grow{flex:1 1 12rem;min-width:0}
.bar label{margin:0 0 .125rem;font-size:.875rem}
.number{font-variant-numeric:tabular-nums;white-space:nowrap}
.console table{background:var(--card)}
.console .buttons{margin-top:1rem;align-items:center}
.console footer form{display:none}
.scroll{overflow-x:auto}
.button.small,button.small{padding:.25rem .625rem;font-size:.875rem}
.pager{margin-top:.75rem}
.warning{border-color:var(--bad)}
.entry-link{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;color:var(--text);text-decoration:none}
.entry-link:hover .value,.entry-link:hover>span:first-of-type{text-decoration:underline}
.entry-link>.icon{align-self:center;color:var(--accent)}
.entry-link .value{font-weight:600}
.stream,.stream-name,.stream-last,.crumbs,.filelist .grow,.shared-streams a,.uses span,.facts .plain li{text-align:left}
.entry-link .value,.entry-link .stream{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere}
.uses li{padding:.25rem 0}
.growth{max-width:100%;height:auto}
.picker{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .875rem;margin:0 0 1rem;min-width:0}
.picker legend{padding:0 .25rem;font-weight:600}
.choices{max-height:16rem;overflow-y:auto}
.choice{display:flex;align-items:flex-start;gap:.5rem;padding:.25rem 0;margin:0;font-weight:400;overflow-wrap:anywhere}
.choice input{width:auto;flex:none;margin:.3em 0 0}
@media print{.console header.top,.side,.console footer,.pager,.buttons,.bar,form{display:none!important}.columns{display:block}body.console{background:#fff;color:#000}.card,ul.rows{break-inside:avoid}}
`
