/** Style sheet of the pages about people and apps. */
export const peopleStyleText = `
.lead{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between;margin:0 0 1rem}
.lead p{margin:0;flex:1 1 18rem}
.entry .tag{font-weight:400;vertical-align:.1em}
.tag.ended{background:var(--bad-back);color:var(--bad)}
.actions{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.5rem 0 0}
.actions a{padding:.25rem 0}
.narrow{max-width:38rem}
.narrow select{max-width:24rem}
.levels{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:.5rem 1rem;align-items:center;margin:.5rem 0}
.levels label{margin:0;font-weight:400;overflow-wrap:anywhere}
.address{display:block;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);overflow-wrap:anywhere}
.messages{list-style:none;padding:0;margin:1rem 0;display:flex;flex-direction:column;gap:.625rem}
.messages li{max-width:85%;background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.5rem .875rem}
.messages .own{align-self:flex-end;background:var(--mark)}
.messages p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
textarea{resize:vertical;min-height:4.5rem}
@media (max-width:40rem){.levels{grid-template-columns:1fr;gap:.125rem}.levels select{margin-bottom:.5rem}}
@media print{.console .tabs,.actions{display:none}}
`
