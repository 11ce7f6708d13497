/** Style sheet of the view of a shared link. */
import { createAsset } from '../assets.js'

export const sharedStyle = createAsset(
  'shared',
  'css',
  `
.shared header.top,.shared main,.shared footer{max-width:64rem;width:100%;margin:0 auto;padding-left:1rem;padding-right:1rem}
.shared main{padding-bottom:2rem}
.shared-note{margin:0 0 1rem;padding-left:.875rem;border-left:3px solid var(--accent);white-space:pre-line}
.shared-note p{margin:0}
.shared .facts{margin:0 0 1.25rem}
.shared-columns{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem 2rem;align-items:start}
.shared-streams ul{list-style:none;margin:0;padding:0}
.shared-streams summary{cursor:pointer;font-weight:600;padding:.375rem 0}
.shared-streams a{display:block;padding:.3125rem .625rem;border-radius:.375rem;color:var(--text);text-decoration:none;overflow-wrap:anywhere}
.shared-streams a:hover{background:var(--mark)}
.shared-streams a[aria-current]{background:var(--mark);color:var(--accent);font-weight:600}
.shared-streams form{display:flex;gap:.5rem;margin:.5rem 0}
.depth-1{padding-left:.875rem}.depth-2{padding-left:1.75rem}.depth-3{padding-left:2.625rem}.depth-4{padding-left:3.5rem}
@media (min-width:48rem){.shared-columns.has-streams{grid-template-columns:13rem minmax(0,1fr)}}
ul.entries{margin-top:0}
ul.entries>li{display:grid;grid-template-columns:13.5rem minmax(0,1fr);gap:.125rem 1rem;align-items:baseline}
ul.entries .when{font-size:.875rem;white-space:normal}
ul.entries .tag{margin:0 .25rem}
ul.entries p:first-child{margin-top:0}
ul.entries p{margin:.125rem 0 0;overflow-wrap:anywhere}
ul.entries .value{font-weight:600;white-space:pre-line}
.thumbs{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:.5rem 0 0;padding:0}
.thumbs img{display:block;width:10rem;height:10rem;object-fit:cover;border-radius:.5rem;background:var(--mark);border:1px solid var(--line)}
.file{display:inline-flex;gap:.375rem;align-items:center}
.charts{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem}
.chart-head{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;align-items:baseline;margin:0 0 .75rem}
.chart-head h3{margin:0}
.chart-head p{margin:0}
.spans{margin:0 0 1rem;display:flex;flex-wrap:wrap;gap:.25rem .5rem}
.spans a{padding:.25rem .75rem;border:1px solid var(--line);border-radius:1rem;text-decoration:none;color:var(--text);font-size:.875rem}
.spans a[aria-current]{border-color:var(--accent);color:var(--accent);font-weight:600}
.about-link{margin-top:2rem}
.about-link summary{cursor:pointer;padding:.375rem 0}
@media (max-width:40rem){ul.entries>li{grid-template-columns:1fr}}
@media print{.shared-streams,.tabs,.spans,.about-link,.add{display:none!important}.shared main{max-width:none}.shared-columns{display:block}.thumbs img{break-inside:avoid}ul.entries>li{break-inside:avoid;grid-template-columns:13.5rem minmax(0,1fr)}.shared a{color:inherit;text-decoration:none}}
`,
)
