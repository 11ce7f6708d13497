/** Style sheet of Activity. */
import { createAsset } from '../../assets.js'

export const activityStyle = createAsset(
  'activity',
  'css',
  `
.day{font-size:.9375rem;color:var(--soft)}
ul.log>li{display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:.125rem 1rem;align-items:baseline}
ul.log .what{overflow-wrap:anywhere;min-width:0}
ul.log p{margin:.125rem 0 0}
.tag.refused{background:var(--bad-back);color:var(--bad)}
form.filters{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9.5rem),1fr));gap:.75rem;align-items:end;margin:0 0 1rem}
form.filters label{margin:0 0 .125rem;font-size:.875rem}
form.filters select,form.filters input[type=date]{height:2.75rem}
form.filters .tick,form.filters .buttons{grid-column:1/-1;margin:0}
form.filters .tick input{margin-top:.125rem}
form.filters .buttons{align-items:center}
@media (max-width:40rem){ul.log>li{grid-template-columns:1fr}ul.log .when{font-size:.875rem}}
`,
)
