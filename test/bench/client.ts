/** Asking a server: once, or as fast as it answers. */
import autocannon from 'autocannon'
import { setTimeout as sleep } from 'node:timers/promises'
import { processorSeconds, type Server } from './processes.js'

export interface Question {
  verb?: 'GET' | 'POST'
  /** Below the server's address, without a leading slash. A function gives each request a path of its own. */
  path: string | (() => string)
  token?: string
  /** Of a browser that asks. */
  cookie?: string
  /** A function gives each request a body of its own. */
  body?: string | (() => string)
  /** Of the body, when it is not JSON. */
  type?: string
  /** More headers, of each request its own. */
  headers?: () => Record<string, string>
  /** Is told the body of each answer. */
  answered?: (body: string) => void
  /** Is called before a stretch of load of so many seconds. */
  prepare?: (seconds: number) => void
}

/** What a stretch of time at full speed showed. */
export interface Load {
  seconds: number
  answers: number
  /** Bytes of answers, headers included. */
  bytes: number
  /** Answers other than 2xx, and connections that broke. */
  failures: number
  /** Milliseconds from request to whole answer, ascending. */
  latencies: Float64Array
  /** Processor seconds of the server. */
  processor: number | undefined
}

const pathOf = ({ path }: Question): string => (typeof path === 'string' ? path : path())

const bodyOf = ({ body }: Question): string | undefined => (typeof body === 'function' ? body() : body)

function headersOf({ token, cookie, body, type = 'application/json' }: Question): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: token }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(body === undefined ? {} : { 'content-type': type }),
  }
}

/** One request; answers the JSON of a 2xx answer and throws on any other. */
export async function ask(server: Pick<Server, 'url'>, question: Question): Promise<Record<string, unknown>> {
  const { verb = 'GET' } = question
  const body = bodyOf(question)
  const response = await fetch(server.url + pathOf(question), {
    method: verb,
    headers: { ...headersOf(question), ...question.headers?.() },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${verb} ${pathOf(question)}: ${response.status} ${text.slice(0, 500)}`)
  question.answered?.(text)
  return JSON.parse(text) as Record<string, unknown>
}

/** Until all connections are open and busy. */
const RUN_UP_SECONDS = 0.15
const LONGEST_ANSWER_SECONDS = 30

/** Waits until a server has done what it was still asked for when its clients left, for at most two seconds. */
async function quiet({ pid }: Server): Promise<void> {
  for (let waited = 0, used = processorSeconds(pid); waited < 40 && used !== undefined; waited++) {
    await sleep(50)
    const now = processorSeconds(pid) ?? used
    if (now - used < 0.02) return
    used = now
  }
}

/** Asks without pause on so many connections, for so long after a run-up. */
export async function load(server: Server, question: Question, connections: number, seconds: number): Promise<Load> {
  const { verb = 'GET', path, body, headers, answered } = question
  question.prepare?.(RUN_UP_SECONDS + seconds)
  const latencies: number[] = []
  let counting = false
  let bytes = 0
  let failures = 0
  const isFixed = typeof path === 'string' && typeof body !== 'function' && headers === undefined
  const each = (request: autocannon.Request): autocannon.Request => {
    const own = bodyOf(question)
    const more = headers === undefined ? {} : { headers: { ...request.headers, ...headers() } }
    return { ...request, path: `/${pathOf(question)}`, ...more, ...(own === undefined ? {} : { body: own }) }
  }
  const one: autocannon.Request = isFixed ? { path: `/${path}` } : { setupRequest: each }
  if (answered !== undefined) one.onResponse = (_, text) => answered(text)
  const cannon = autocannon(
    {
      url: server.url,
      method: verb,
      headers: headersOf(question),
      ...(typeof body === 'string' ? { body } : {}),
      requests: [one],
      connections,
      // Ended by stop(), at the next of these samples.
      duration: RUN_UP_SECONDS + seconds + LONGEST_ANSWER_SECONDS,
      sampleInt: 20,
      timeout: LONGEST_ANSWER_SECONDS,
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
  await quiet(server)
  return {
    seconds: (ended - begun) / 1000,
    answers: latencies.length,
    bytes,
    failures,
    latencies: Float64Array.from(latencies).sort(),
    processor: usedBefore === undefined || usedAfter === undefined ? undefined : usedAfter - usedBefore,
  }
}

/** Several stretches as one. */
export function together(loads: readonly Load[]): Load {
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

/** The value below which a share of sorted values lies. */
export function percentile(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
