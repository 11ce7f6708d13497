/** Style sheet of the settings and of the operator's pages. */
import { createAsset } from '../../assets.js'

const text = `
.settings{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1rem;align-items:start}
.settings h2{margin:0 0 .25rem}
.settings ul.rows{border:0;margin:0;background:none;border-radius:0}
.settings ul.rows>li{padding:0;display:block}
.settings ul.rows>li>a{display:flex;flex-direction:column;margin:0 -.5rem;padding:.625rem .5rem;color:var(--text);text-decoration:none;min-height:2.75rem;justify-content:center}
.settings ul.rows>li>a:hover{background:var(--mark);border-radius:.375rem}
.settings ul.rows>li>a>span:first-child{color:var(--accent);font-weight:600}
.narrow-form{max-width:34rem}
.narrow-form form{margin-top:0}
.narrow-form form+form,.narrow-form form+h2{margin-top:1.75rem}
.entry-row{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
.entry-row>div:first-child{flex:1 1 14rem;min-width:0}
.entry-row p{margin:0}
.settings .facts{border-top:1px solid var(--line);padding-top:.625rem}
.settings h2+.facts{border-top:0;padding-top:0}
.entry-row form+form{margin:0}
.actions{display:flex;flex-wrap:wrap;gap:.5rem}
.actions form,.actions form+form{margin:0}
.danger{border-color:var(--bad)}
.loss{margin:.5rem 0;padding-left:1.25rem}
.loss li{margin:.25rem 0}
`

export const settingsStyle = createAsset('settings', 'css', text)
