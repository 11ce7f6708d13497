/** Style sheet of the operator's pages. */
import { createAsset } from '../../assets.js'

const text = `
.operator-bar{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:flex-start;justify-content:space-between;margin-bottom:1rem}
.operator-bar>.tabs{flex:1 1 20rem;margin:0}
.operator-bar>form{margin:0}
.log{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:.5rem;background:var(--card);font-size:.875rem}
.log li{display:grid;grid-template-columns:minmax(0,1fr);gap:0 1rem;padding:.5rem .875rem}
.log li+li{border-top:1px solid var(--line)}
.log code{color:var(--soft);font-size:.8125rem}
.log li>span:first-child{white-space:nowrap}
.log .tag{font-size:.75rem}
.tag.bad{background:var(--bad-back);color:var(--bad)}
.tag.good{background:var(--good-back);color:var(--good)}
.plain-table th,.plain-table td{padding:.5rem .75rem}
.plain-table thead th{border-top:0;color:var(--soft);font-size:.875rem;font-weight:600;white-space:nowrap}
.plain-table th[scope=row]{font-weight:600;overflow-wrap:anywhere;min-width:8rem}
.framed{border:1px solid var(--line);border-radius:.5rem;background:var(--card);overflow-x:auto}
.right{text-align:right}
.plain-table .email{min-width:13rem}
.fields{display:flex;flex-wrap:wrap;gap:0 1rem}
.fields>div{flex:1 1 10rem;min-width:0}
.token{display:block;margin:.25rem 0;padding:.375rem .625rem;background:var(--mark);border-radius:.375rem}
@media (min-width:48rem){.log li{grid-template-columns:17rem minmax(0,1fr)}.log code{grid-column:2}}
`

export const operatorStyle = createAsset('operator', 'css', text)
