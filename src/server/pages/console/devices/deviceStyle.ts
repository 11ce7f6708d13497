/** Style sheet of the pages of devices. */
export const deviceStyleText = `
.device{display:flex;flex-direction:column;gap:.25rem}
.device .state{display:inline-flex;align-items:center;gap:.375rem;font-weight:600}
.state .icon{width:1.125rem;height:1.125rem}
.state.good{color:var(--good)}
.state.bad{color:var(--bad)}
.device ul.plain{margin:0}
.twins{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:.75rem;margin:.5rem 0}
.twin{border:1px solid var(--line);border-radius:.5rem;padding:.625rem .875rem;min-width:0;display:flex;flex-direction:column;gap:.375rem}
.twin.effective{border-color:var(--accent)}
.twin p{margin:0}
.twin .value{font-weight:600;white-space:pre-wrap;overflow-wrap:anywhere;max-height:12rem;overflow:auto}
.twin form{margin-top:auto}
.console ol.pair-words{list-style:none;margin:1rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.75rem}
.pair-words li{font-size:1.5rem;font-weight:650;padding:.5rem 1rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--card)}
.console textarea.code{min-height:6rem;resize:vertical}
.pair-link{user-select:all}
`
