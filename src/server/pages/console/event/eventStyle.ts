/** Style sheet of the pages of events. */
export const eventStyleText = `
.text{white-space:pre-wrap;overflow-wrap:anywhere}
.card>.figure,.card>.text,.card>.members{margin:0 0 1rem}
.card .filelist{margin:0 0 1rem}
.card .filelist li{margin-bottom:.75rem}
.card .filelist li>a:has(img){flex:1 0 100%}
.facts .plain{margin:0}
.buttons form+form{margin-top:0}
ol.rows{list-style:none;margin:.5rem 0;padding:0;border:1px solid var(--line);border-radius:.5rem;background:var(--card)}
ol.rows>li{padding:.625rem .875rem}
ol.rows>li+li{border-top:1px solid var(--line)}
.versions p{margin:.25rem 0 0}
.changes{margin:.25rem 0 0;padding-left:1.25rem;overflow-wrap:anywhere}
.changes del{color:var(--soft)}
.changes ins{text-decoration:none;font-weight:600}
.kinds{list-style:none;margin:.5rem 0 1rem;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,11rem),1fr));gap:.625rem}
.kinds a{display:flex;flex-direction:column;justify-content:center;min-height:3.5rem;padding:.5rem .875rem;background:var(--card);border:1px solid var(--line);border-radius:.625rem;color:var(--text);text-decoration:none;font-weight:600}
.kinds a:hover{border-color:var(--accent)}
.kinds span{font-weight:400}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:0 1rem;align-items:start}
.rating{display:flex;flex-wrap:wrap;gap:.5rem;margin:.25rem 0}
.rating label{display:flex;gap:.375rem;align-items:center;margin:0;padding:.5rem .875rem;border:1px solid var(--line);border-radius:.5rem;font-weight:400;min-height:2.75rem}
.rating label:has(:checked){border-color:var(--accent);background:var(--mark)}
.field-problem{color:var(--bad);font-size:.875rem;margin:.25rem 0 0}
.entry-form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.125rem;max-width:44rem}
.entry-form>form>:first-child{margin-top:0}
.entry-form>form>label:first-of-type{margin-top:0}
textarea.code{font-size:.875rem}
table.paste{font-size:.875rem;min-width:28rem}
table.paste th,table.paste td{padding:.375rem .75rem}
table.paste td:last-child{overflow-wrap:anywhere;min-width:8rem}
table.paste tr.refused td{background:var(--bad-back)}
`
