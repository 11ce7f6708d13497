/** Style sheet and script of the charts. */
import { createAsset } from '../../assets.js'

export const chartStyle = createAsset(
  'charts',
  'css',
  `
.chart-part{margin:0 0 1.25rem}
.chart-head{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin:0 0 .75rem}
.chart-part h2{margin:0;font-size:1.0625rem}
.chart-head .grow{min-width:12rem}
.plot{position:relative;min-height:16rem;overflow:hidden;touch-action:pan-y}
.plot .line-chart svg{height:14rem}
.plot .uplot{font-family:inherit}
.plot .readout{min-height:1.5em;font-size:.8125rem;color:var(--soft);font-variant-numeric:tabular-nums}
.u-select{background:color-mix(in srgb,var(--accent) 20%,transparent)}
.sparkline{flex:none}
.sparkline path{fill:none;stroke:var(--accent);stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
.bands{width:100%;height:2rem;background:var(--mark);border-radius:.25rem}
.bands rect{fill:var(--accent)}
.track{margin:0;max-width:32rem}
.track svg{width:100%;height:auto;background:var(--mark);border-radius:.5rem}
.track .path{fill:none;stroke:var(--accent);stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.track .start,.mark-start::before{fill:var(--card);stroke:var(--accent);stroke-width:2.5}
.track .end{fill:var(--accent)}
.track .scale{fill:none;stroke:var(--text);stroke-width:1.5}
.track text{font-size:13px;fill:var(--text)}
.mark-start::before{content:"○ "}
.mark-end::before{content:"■ "}
.calendar{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}
.calendar table{width:auto;border:0;border-collapse:separate;border-spacing:2px;background:none}
.calendar caption{text-align:left;font-weight:600;padding:0 0 .25rem}
.calendar th,.calendar td{border:0;padding:0;width:2rem;height:2rem;text-align:center;font-size:.8125rem;border-radius:.25rem;font-variant-numeric:tabular-nums}
.calendar td{background:var(--mark);color:var(--soft)}
.calendar td.outside{background:none}
.calendar td.level-1{background:color-mix(in srgb,var(--accent) 22%,var(--card));color:var(--text)}
.calendar td.level-2{background:color-mix(in srgb,var(--accent) 38%,var(--card));color:var(--text)}
.calendar td.level-3{background:var(--accent);color:var(--on)}
.calendar td.level-4{background:var(--accent);color:var(--on);font-weight:700;outline:2px solid var(--text);outline-offset:-2px}
.chart-choice{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem}
.chart-choice label{flex:1 1 16rem;display:flex;gap:.625rem;align-items:baseline;margin:0;font-weight:400;min-width:0;overflow-wrap:anywhere}
.chart-choice input{width:auto;flex:none;margin:0}
`,
)

/**
 * Draws the charts of a page with uPlot in place of their pictures. All charts share one span: dragging across one zooms all, a
 * double click returns to the span of the page, and the address follows, so it can be shared. Two fingers zoom on a touch screen.
 */
export const chartScript = createAsset(
  'charts',
  'js',
  `
'use strict'
{
const plots = []
const root = getComputedStyle(document.documentElement)
// Read with each drawing, since the reader may change between light and dark.
const colour = (name) => () => root.getPropertyValue(name).trim()
const language = document.documentElement.lang
const numbers = new Intl.NumberFormat(language, { maximumSignificantDigits: 6 })
const times = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
let span
let typing
const addressOf = (plot, width) => {
  const url = new URL(plot.dataset.chart, location.href)
  if (span) { url.searchParams.set('from', span.from); url.searchParams.set('to', span.to); url.searchParams.delete('span') }
  url.searchParams.set('points', String(Math.max(10, Math.min(4000, Math.round(width)))))
  return url
}
async function read(plot) {
  const turn = (plot.turn = (plot.turn || 0) + 1)
  const answer = await fetch(addressOf(plot, plot.clientWidth))
  if (!answer.ok) return
  const columns = await answer.json()
  if (turn !== plot.turn) return
  draw(plot, columns)
}
function draw(plot, { x, min, max, mean, from, to }) {
  const data = [x, max, min, mean]
  if (plot.chart) {
    plot.chart.setData(data, false)
    const range = span ?? (x.length > 0 ? { from, to } : undefined)
    if (range) plot.chart.setScale('x', { min: range.from, max: range.to })
    return
  }
  if (x.length < 2) return
  const figure = plot.querySelector('figure')
  const height = figure.offsetHeight
  const holder = document.createElement('div')
  figure.before(holder)
  figure.hidden = true
  const unit = plot.dataset.unit ? '\\u00a0' + plot.dataset.unit : ''
  const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1 }, font: '12px sans-serif' }
  const readout = document.createElement('div')
  readout.className = 'readout'
  const options = {
    width: plot.clientWidth,
    height: Math.max(160, height - 24),
    legend: { show: false },
    cursor: { drag: { x: true, y: false, dist: 8 }, points: { size: 7 } },
    scales: { x: { time: true } },
    axes: [axis, { ...axis, size: 64, values: (_, splits) => splits.map((value) => numbers.format(value)) }],
    series: [
      {},
      { stroke: 'transparent', points: { show: false } },
      { stroke: 'transparent', points: { show: false } },
      { stroke: colour('--accent'), width: 2, points: { show: x.length < 60 } },
    ],
    bands: [{ series: [1, 2], fill: () => colour('--accent')() + '33' }],
    hooks: {
      setCursor: [(chart) => {
        const at = chart.cursor.idx
        const value = at == null ? null : chart.data[3][at]
        readout.textContent = value == null ? '' : times.format(chart.data[0][at] * 1000) + ' · ' + numbers.format(value) + unit +
          (chart.data[1][at] === chart.data[2][at] ? '' : ' (' + numbers.format(chart.data[2][at]) + ' – ' + numbers.format(chart.data[1][at]) + unit + ')')
      }],
      setSelect: [(chart) => {
        if (chart.select.width < 8) return
        zoom(chart.posToVal(chart.select.left, 'x'), chart.posToVal(chart.select.left + chart.select.width, 'x'))
        chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
      }],
    },
  }
  plot.chart = new uPlot(options, data, holder)
  holder.append(readout)
  plot.chart.over.addEventListener('dblclick', reset)
  pinch(plot)
  plot.dataset.drawn = 'yes'
}
function zoom(from, to) {
  if (!(to - from > 0.01)) return
  span = { from, to }
  renew()
}
function reset() {
  span = undefined
  renew()
}
function renew() {
  const url = new URL(location.href)
  for (const name of ['from', 'to']) span ? url.searchParams.set(name, span[name].toFixed(3)) : url.searchParams.delete(name)
  if (span) url.searchParams.delete('span')
  else if (start) for (const name of ['from', 'to', 'span']) if (start.searchParams.has(name)) url.searchParams.set(name, start.searchParams.get(name))
  history.replaceState(null, '', url)
  clearTimeout(typing)
  typing = setTimeout(() => plots.forEach(read), 60)
}
// Two fingers change the span; one finger scrolls the page.
function pinch(plot) {
  const over = plot.chart.over
  let begin
  const fingers = (event) => [...event.touches].map((touch) => touch.clientX - over.getBoundingClientRect().left)
  over.addEventListener('touchstart', (event) => {
    if (event.touches.length !== 2) return
    const { min, max } = plot.chart.scales.x
    begin = { fingers: fingers(event), min, max, width: over.clientWidth }
  }, { passive: true })
  over.addEventListener('touchmove', (event) => {
    if (!begin || event.touches.length !== 2) return
    event.preventDefault()
    const [a, b] = fingers(event)
    const [c, d] = begin.fingers
    const factor = Math.abs(c - d) / Math.max(20, Math.abs(a - b))
    const perPixel = ((begin.max - begin.min) / begin.width) * factor
    const middle = begin.min + ((c + d) / 2) * ((begin.max - begin.min) / begin.width)
    const from = middle - ((a + b) / 2) * perPixel
    plot.chart.setScale('x', { min: from, max: from + perPixel * begin.width })
    begin.last = { from, to: from + perPixel * begin.width }
  }, { passive: false })
  over.addEventListener('touchend', () => {
    if (begin && begin.last) zoom(begin.last.from, begin.last.to)
    begin = undefined
  })
}
const start = new URL(location.href)
function find() {
  for (const plot of document.querySelectorAll('[data-chart]')) {
    if (plots.includes(plot)) continue
    plots.push(plot)
    // The page has a few hundred buckets, which are drawn at once; the finer ones follow.
    if (plot.dataset.values) draw(plot, JSON.parse(plot.dataset.values))
    read(plot)
  }
  for (let at = plots.length - 1; at >= 0; at--) if (!plots[at].isConnected) plots.splice(at, 1)
}
addEventListener('resize', () => {
  for (const { chart, clientWidth } of plots) if (chart) chart.setSize({ width: clientWidth, height: chart.height })
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const { chart } of plots) if (chart) chart.redraw(false, true)
})
// Live parts of the page have changed: the values have too.
addEventListener('refreshed', () => {
  const known = [...plots]
  find()
  known.filter((plot) => plot.isConnected).forEach(read)
})
find()
}
`,
)
