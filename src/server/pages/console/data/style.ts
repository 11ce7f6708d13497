/** Style sheet of the section of data: the tree beside the timeline on wide screens, above it on narrow ones. */
export const dataStyleText = `
.data{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem;align-items:start}
.data-main{min-width:0}
.streams{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.25rem .5rem;min-width:0}
.streams>summary,.filters>summary{cursor:pointer;display:flex;align-items:center;gap:.5rem;min-height:2.75rem;padding:0 .5rem;font-weight:600;list-style:none}
.streams>summary span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.streams>summary::after,.filters>summary::after{content:"";margin-left:auto;flex:none;width:.5rem;height:.5rem;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(45deg)}
.streams[open]>summary::after,.filters[open]>summary::after{transform:rotate(225deg)}
.streams>summary::-webkit-details-marker,.filters>summary::-webkit-details-marker,.tree summary::-webkit-details-marker{display:none}
.tree{list-style:none;margin:0;padding:0}
.tree .tree{margin-left:.75rem;border-left:1px solid var(--line)}
.tree>li{position:relative}
.tree>li.small{padding:.375rem .5rem .375rem 1.75rem}
.tree-all{margin:0}
.tree-all a,.stream-link{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 .5rem;padding:.375rem .5rem .375rem 1.75rem;border-radius:.5rem;color:var(--text);text-decoration:none}
.tree-all a{padding-left:.5rem}
.stream-link:hover,.tree-all a:hover{background:var(--mark)}
.stream-link[aria-current],.tree-all a[aria-current]{background:var(--mark);color:var(--accent);font-weight:600}
.stream-name{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere}
.stream-last{grid-column:1/-1;font-size:.8125rem;font-weight:400;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.stream-link .number{font-weight:400;align-self:center}
.tree>li>details>summary{position:absolute;left:0;top:.125rem;width:1.75rem;height:2rem;cursor:pointer;list-style:none;border-radius:.375rem;display:flex;align-items:center;justify-content:center}
.tree>li>details>summary::before{content:"";width:.4375rem;height:.4375rem;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(-45deg)}
.tree>li>details[open]>summary::before{transform:rotate(45deg)}
.tree>li>details>summary:hover{background:var(--mark)}
.tree-search{display:flex;gap:.375rem;margin:.375rem 0}
.tree-search input{min-width:0}
.tree-actions{margin:.25rem 0;padding:.25rem .5rem;border-top:1px solid var(--line)}
.tree-actions a{display:inline-flex;align-items:center;gap:.375rem;min-height:2.25rem}
.stream-link.over,.tree-all a.over{outline:2px dashed var(--accent);outline-offset:-2px}
.actions .menu>summary{border:1px solid var(--line);background:var(--card);min-height:2.625rem;min-width:2.75rem;justify-content:center}
.crumbs{margin:0 0 .75rem}
.crumbs .tag{margin-left:.5rem}
.filters{border:1px solid var(--line);border-radius:.75rem;background:var(--card);padding:0 .5rem;margin:0 0 1rem}
.filters form{padding:0 .5rem .75rem}
.filter-fields{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9rem),1fr));gap:.75rem}
.filter-fields p{margin:0;min-width:0}
.filter-fields label{margin:0 0 .125rem;font-size:.875rem}
.filter-fields select,.filter-fields input{min-height:2.75rem}
.wide-field{grid-column:1/-1}
h2.day{font-size:.9375rem;margin:1.25rem 0 .375rem;color:var(--soft)}
#timeline>h2.day:first-child{margin-top:0}
.event-row{align-items:center;flex-wrap:nowrap;min-height:1.75rem}
.event-time{flex:0 0 5.5rem;font-variant-numeric:tabular-nums}
.thumbnail{width:3rem;height:3rem;object-fit:cover;border-radius:.375rem;background:var(--mark);flex:none}
.running{display:inline-flex;align-items:center;gap:.25rem}
.running .icon{width:1rem;height:1rem;color:inherit}
.event-row .tag{flex:none}
.form-card{max-width:40rem;margin:0 0 1rem}
.middle{justify-content:center}
@media (max-width:40rem){.actions{position:relative}.actions details.menu{position:static}.actions .drawer{left:0;right:auto}.event-row{flex-wrap:wrap}.event-time{flex:1 0 100%}}
@media (min-width:64rem){.data{grid-template-columns:18rem minmax(0,1fr);gap:1.5rem}.streams{max-height:calc(100vh - 2rem);overflow-y:auto;position:sticky;top:1rem}
@supports selector(::details-content){.streams>summary{display:none}.streams::details-content{content-visibility:visible;display:block}}}
`
