/** Sends requests to a server: once, or as load. */
import autocannon from 'autocannon'
import { setTimeout as sleep } from 'node:timers/promises'
import { processorSeconds, type Server } from './processes.js'

export interface RequestSpec {
  verb?: 'GET' | 'POST'
  /** Path below the URL of the server, without a leading slash; a function is called for each request. */
  path: string | (() => string)
  token?: string
  /** Cookies of a browser. */
  cookie?: string
  /** Body; a function is called for each request. */
  body?: string | (() => string)
  /** Content type, when the body is not JSON. */
  type?: string
  /** Additional headers of each request. */
  headers?: () => Record<string, string>
  /** Receives the body of each response. */
  onBody?: (body: string) => void
  /** Called before a load of the given number of seconds. */
  prepare?: (seconds: number) => void
}

/** Result of a load. */
export interface Load {
  seconds: number
  answers: number
  /** Bytes of responses, including headers. */
  bytes: number
  /** Responses other than 2xx, and lost connections. */
  failures: number
  /** Milliseconds from request to complete response, ascending. */
  latencies: Float64Array
  /** Processor seconds of the server. */
  processor: number | undefined
}

const pathOf = ({ path }: RequestSpec): string => (typeof path === 'string' ? path : path())

const bodyOf = ({ body }: RequestSpec): string | undefined => (typeof body === 'function' ? body() : body)

function headersOf({ token, cookie, body, type = 'application/json' }: RequestSpec): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: token }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(body === undefined ? {} : { 'content-type': type }),
  }
}

/** Sends one request and returns its JSON. @throws Error unless the status is 2xx. */
export async function callApi(server: Pick<Server, 'url'>, spec: RequestSpec): Promise<Record<string, unknown>> {
  const { verb = 'GET' } = spec
  const body = bodyOf(spec)
  const response = await fetch(server.url + pathOf(spec), {
    method: verb,
    headers: { ...headersOf(spec), ...spec.headers?.() },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${verb} ${pathOf(spec)}: ${response.status} ${text.slice(0, 500)}`)
  spec.onBody?.(text)
  return JSON.parse(text) as Record<string, unknown>
}

/** Time until all connections are open and busy. */
const RUN_UP_SECONDS = 0.15
const MAX_RESPONSE_SECONDS = 30

/** Waits for at most two seconds until a server has processed its remaining requests. */
async function waitUntilIdle({ pid }: Server): Promise<void> {
  for (let waited = 0, used = processorSeconds(pid); waited < 40 && used !== undefined; waited++) {
    await sleep(50)
    const now = processorSeconds(pid) ?? used
    if (now - used < 0.02) return
    used = now
  }
}

/** Sends requests continuously on a number of connections, and measures after a run-up. */
export async function load(server: Server, spec: RequestSpec, connections: number, seconds: number): Promise<Load> {
  const { verb = 'GET', path, body, headers, onBody } = spec
  spec.prepare?.(RUN_UP_SECONDS + seconds)
  const latencies: number[] = []
  let counting = false
  let bytes = 0
  let failures = 0
  const isFixed = typeof path === 'string' && typeof body !== 'function' && headers === undefined
  const each = (request: autocannon.Request): autocannon.Request => {
    const own = bodyOf(spec)
    const more = headers === undefined ? {} : { headers: { ...request.headers, ...headers() } }
    return { ...request, path: `/${pathOf(spec)}`, ...more, ...(own === undefined ? {} : { body: own }) }
  }
  const one: autocannon.Request = isFixed ? { path: `/${path}` } : { setupRequest: each }
  if (onBody !== undefined) one.onResponse = (_, text) => onBody(text)
  const cannon = autocannon(
    {
      url: server.url,
      method: verb,
      headers: headersOf(spec),
      ...(typeof body === 'string' ? { body } : {}),
      requests: [one],
      connections,
      // The call of stop() takes effect at the next sample.
      duration: RUN_UP_SECONDS + seconds + MAX_RESPONSE_SECONDS,
      sampleInt: 20,
      timeout: MAX_RESPONSE_SECONDS,
    },
    () => {},
  )
  cannon.on('response', (_, status, size, milliseconds) => {
    if (!counting) return
    if (status < 200 || status > 299) failures += 1
    bytes += size
    latencies.push(milliseconds)
  })
  cannon.on('reqError', () => (failures += 1))
  const finished = new Promise((resolve) => cannon.once('done', resolve))
  await sleep(RUN_UP_SECONDS * 1000)
  const [begun, usedBefore] = [performance.now(), processorSeconds(server.pid)]
  counting = true
  await sleep(seconds * 1000)
  counting = false
  const [ended, usedAfter] = [performance.now(), processorSeconds(server.pid)]
  cannon.stop()
  await finished
  await waitUntilIdle(server)
  return {
    seconds: (ended - begun) / 1000,
    answers: latencies.length,
    bytes,
    failures,
    latencies: Float64Array.from(latencies).sort(),
    processor: usedBefore === undefined || usedAfter === undefined ? undefined : usedAfter - usedBefore,
  }
}

/** Merges several loads. */
export function mergeLoads(loads: readonly Load[]): Load {
  const sum = (pick: (load: Load) => number): number => loads.reduce((total, load) => total + pick(load), 0)
  const isKnown = loads.every(({ processor }) => processor !== undefined)
  return {
    seconds: sum(({ seconds }) => seconds),
    answers: sum(({ answers }) => answers),
    bytes: sum(({ bytes }) => bytes),
    failures: sum(({ failures }) => failures),
    latencies: Float64Array.from(loads.flatMap(({ latencies }) => [...latencies])).sort(),
    processor: isKnown ? sum(({ processor = 0 }) => processor) : undefined,
  }
}

/** Returns the percentile of sorted values, by a share from 0 to 1. */
export function percentile(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
