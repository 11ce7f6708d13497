/** Measures web pages of the node: latency, and size with styles and scripts. */
import { visitor, type Visitor } from '../support/people/visitor.js'
import { createStreams, fill, PASSWORD, register, streamIdOf, type Owner } from './account.js'
import { callApi, load, percentile } from './client.js'
import { measuredLatency, type Measured } from './measure.js'
import { startNode, type Server } from './processes.js'

export interface PageRow {
  id: string
  label: string
  /** True for an account with many events; by default the one with 100 streams. */
  isOfReader?: true
  /** Returns the path of the page, and the cookies of its request. */
  visit(node: Server, owner: Owner): Promise<{ path: string; cookie: string }>
}

const MAX_MS = 100
const MAX_KB = 80
const WARM_UP_SECONDS = 0.6

export const pageRows: readonly PageRow[] = [
  { id: 'page-sign-in', label: 'page: sign-in', visit: () => Promise.resolve({ path: 'web/sign-in', cookie: '' }) },
  { id: 'page-consent', label: 'page: consent, 10 permissions', visit: consent },
  consoleRow('overview', '100,000', 'overview'),
  consoleRow('data', '100,000', 'data'),
  consoleRow('chart', '100,000', `charts?stream=${streamIdOf(3)}`),
]

/** Pages of an account with a million events, which takes minutes to fill. */
export const longPageRows: readonly PageRow[] = [
  consoleRow('overview', '1,000,000', 'overview'),
  consoleRow('data', '1,000,000', 'data'),
  consoleRow('stream', '1,000,000', `data?stream=${streamIdOf(3)}`),
  consoleRow('charts', '1,000,000', 'charts'),
  consoleRow('chart', '1,000,000', `charts?stream=${streamIdOf(3)}`),
  consoleRow('files', '1,000,000', 'files'),
  consoleRow('people', '1,000,000', 'access'),
  consoleRow('devices', '1,000,000', 'devices'),
  consoleRow('activity', '1,000,000', 'activity'),
  consoleRow('settings', '1,000,000', 'settings'),
]

/** Row of a page of the console, for an account with a number of events. */
function consoleRow(name: string, events: '100,000' | '1,000,000', path: string): PageRow {
  const id = events === '100,000' ? `page-${name}` : `page-million-${name}`
  return { id, label: `page: ${name}, ${events} events`, isOfReader: true, visit: (node, owner) => consolePage(node, owner, `web/${path}`) }
}

/** Signs in, and opens a page of the console. */
async function consolePage(node: Server, owner: Owner, path: string): Promise<{ path: string; cookie: string }> {
  const browser = visitor(node)
  await browser.open('web/sign-in')
  await browser.submit({ name: owner.username, password: PASSWORD })
  const { status, text } = await browser.open(path)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  return { path, cookie: cookieOf(browser) }
}

/** Signs in; returns the consent page for a request of an app. */
async function consent(node: Server, owner: Owner): Promise<{ path: string; cookie: string }> {
  const requestedPermissions = Array.from({ length: 10 }, (_, n) => ({ streamId: `s${n}`, level: 'read', defaultName: `Stream ${n}` }))
  const body = JSON.stringify({ requestingAppId: 'bench-app', requestedPermissions })
  const { key } = await callApi(node, { verb: 'POST', path: 'reg/access', body })
  const browser = visitor(node)
  await browser.open(`web/sign-in?key=${String(key)}`)
  const { path } = await browser.submit({ name: owner.username, password: PASSWORD })
  if (!path.startsWith('/web/authorize')) throw new Error(`signing in led to ${path}: ${browser.page.text}`)
  return { path: path.slice(1), cookie: cookieOf(browser) }
}

/** Measures the pages of an account with a million events. */
export async function measureLongPages(
  home: string,
  isSelected: (id: string) => boolean,
  seconds: number,
  record: (measured: Measured) => void,
): Promise<void> {
  const node = await startNode(home)
  const owner = await register(node, 'archivist')
  await createStreams(node, owner)
  await fill(node, owner, 1_000_000)
  for (const row of longPageRows.filter(({ id }) => isSelected(id))) {
    for (const measured of await measurePage(node, row, owner, seconds)) record(measured)
  }
  await node.stop()
}

const cookieOf = ({ cookies }: Visitor): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Returns two rows: the latency of a page on one connection, and its size. */
export async function measurePage(node: Server, row: PageRow, owner: Owner, seconds: number): Promise<Measured[]> {
  const { path, cookie } = await row.visit(node, owner)
  const spec = { path, cookie }
  await load(node, spec, 10, WARM_UP_SECONDS)
  const measured = await load(node, spec, 1, seconds)
  const p99 = percentile(measured.latencies, 0.99)
  const weight = (await weightOf(node, path, cookie)) / 1024
  return [
    {
      ...measuredLatency(measured),
      id: row.id,
      label: row.label,
      figure: percentile(measured.latencies, 0.5),
      unit: 'ms',
      target: `p99 < ${MAX_MS} ms`,
      met: p99 !== undefined && p99 < MAX_MS,
    },
    {
      id: `${row.id}-weight`,
      label: `${row.label}, with style and script`,
      figure: weight,
      unit: 'KB',
      target: `< ${MAX_KB} KB`,
      met: weight < MAX_KB,
    },
  ]
}

/** Returns the bytes of a page with its style sheets and scripts, as they are transferred. */
async function weightOf(node: Server, path: string, cookie: string): Promise<number> {
  const page = await transferred(new URL(path, node.url), cookie)
  const links = [...page.text.matchAll(/ (?:src|href)="([^"]*\/assets\/[^"]+)"/g)].map(([, link = '']) => new URL(link, node.url))
  if (links.length < 2) throw new Error(`${path} names ${links.length} of its style and script`)
  const parts = await Promise.all(links.map((link) => transferred(link, '')))
  return [page, ...parts].reduce((sum, { bytes }) => sum + bytes, 0)
}

async function transferred(url: URL, cookie: string): Promise<{ text: string; bytes: number }> {
  const response = await fetch(url, { headers: { cookie, 'accept-encoding': 'gzip' } })
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status}`)
  const bytes = Number(response.headers.get('content-length'))
  if (!(bytes > 0)) throw new Error(`${url.pathname}: the length is unknown`)
  return { text: await response.text(), bytes }
}
