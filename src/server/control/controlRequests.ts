/**
 * HTTP protocol of the control interface: `POST <method>` with `{ user?, access?, params }` returns the method's result or
 * `{ error }`; `GET <method>?user=…` streams lines of JSON until the client disconnects.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../store/model/failure.js'
import { asFailure } from '../dispatch/call.js'
import type { Authority, NodeControl } from './control.js'
import { readBody } from '../http/body.js'
import { readJson } from '../call/json/readJson.js'
import { drained } from '../http/respond.js'
import { statusOf } from '../base/status.js'
import { failureForOperator } from '../platform/cores/wrongCore.js'
import { metaOf } from '../call/meta.js'
import { productVersion } from '../base/version.js'
import { membersText, RawList, drainPage, type RawJson } from '../call/results.js'
import type { Node } from '../index.js'

const MAX_MB = 200
/** Maximum bytes buffered for a follower that does not read; beyond it, the connection is closed. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024
const PULSE_MS = 20_000
const ROUTE = /^([A-Za-z0-9_.-]+)(?:\?(.*))?$/

/** Handles a request; `input` is the method in its target, query included. Never rejects. */
type ControlRequests = (request: IncomingMessage, response: ServerResponse, input: string, from: Pick<Authority, 'ip'>) => Promise<void>

/** A parsed request: the parameters of its method, and the rights it requests. */
interface ControlInput {
  params: unknown
  as: Authority
}

/** Reads and parses the body of a request. Throws the errors of reading bodies. */
export const readControlInput = async (request: IncomingMessage, from: Pick<Authority, 'ip'>): Promise<ControlInput> =>
  parseControlInput(readJson(await readBody(request, MAX_MB)), from)

/** Parses the body of a request. */
export function parseControlInput(body: unknown, from: Pick<Authority, 'ip'>): ControlInput {
  const { user, access, params } = Object(body) as { user?: unknown; access?: unknown; params?: unknown }
  const as: Authority = { ...from }
  if (typeof user === 'string') as.user = user
  if (typeof access === 'string') as.access = access
  return { params: params ?? {}, as }
}

/** Creates the handler of requests for the methods of `control`. */
export function controlRequests(node: Node, control: NodeControl): ControlRequests {
  const version = productVersion()
  const handle: ControlRequests = async (request, response, target, from) => {
    response.setHeader('Coffer-Door', 'control')
    response.setHeader('Coffer-Version', version)
    const match = ROUTE.exec(target)
    const method = match?.[1] ?? ''
    try {
      if (match === null) throw new Failure('unknown-resource')
      if (request.method === 'GET' && Object.hasOwn(followed, method)) return await follow(method, match[2] ?? '', response)
      const { params, as } = await readControlInput(request, from)
      const left = new AbortController()
      response.once('close', () => {
        if (!response.writableEnded) left.abort()
      })
      await answer(await control.call(method, params, as, left.signal), response)
    } catch (error) {
      const failure = asFailure(node, method, error)
      if (response.headersSent) return void response.destroy()
      response.writeHead(statusOf(failure), { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ error: failure }))
    }
  }

  /** Feeds that a client can follow. Each calls `notify` with lines of JSON until the returned function is called. */
  const followed: Record<string, (prefix: string | undefined, notify: (line: string) => void) => () => void> = {
    'node.events': (prefix, notify) =>
      node.store.follow((entries) => {
        for (const { account, kind, action, id, sequence } of entries) {
          if (prefix !== undefined && account !== prefix) continue
          notify(JSON.stringify({ event: 'change', kind, action, id, sequence }))
        }
      }),
    'node.audit': (prefix, notify) =>
      node.audit.follow((account, record) => {
        if (prefix === undefined || account === prefix) notify(record)
      }),
    'node.webhooks': (prefix, notify) =>
      node.webhooks.follow(prefix, (delivery) => {
        // With meta, a line holds the message as sent to a receiver.
        notify(`{"event":"delivery",${JSON.stringify(delivery).slice(1, -1)},"meta":${metaOf(node)}}`)
      }),
    'node.sync': (prefix, notify) => {
      const leavePairings = node.sync.pairings.follow(prefix, (pairing) => notify(JSON.stringify({ event: 'pairing', pairing })))
      const leavePeers = node.sync.peers.follow(prefix, (peer) => notify(JSON.stringify({ event: 'status', peer })))
      return () => {
        leavePairings()
        leavePeers()
      }
    },
  }

  async function follow(method: string, query: string, response: ServerResponse): Promise<void> {
    const username = new URLSearchParams(query).get('user')
    const loaded = username === null ? undefined : await node.accounts.find(username)
    if (username !== null && loaded === undefined) throw await failureForOperator(node, username)
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' })
    response.flushHeaders()
    const notify = (line: string): void => {
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
      else response.write(`${line}\n`)
    }
    const stop = followed[method]?.(loaded?.account.prefix, notify) ?? ((): void => {})
    // Proxies may close idle connections.
    const pulse = setInterval(() => void response.write('\n'), PULSE_MS)
    response.on('close', () => {
      clearInterval(pulse)
      stop()
    })
  }

  return handle
}

/** Writes lists page by page, so that large exports need little memory. */
async function answer(result: Record<string, unknown>, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  const rest: Record<string, unknown> = {}
  let first = true
  response.write('{')
  for (const [key, value] of Object.entries(result)) {
    if (!(value instanceof RawList)) {
      rest[key] = value
      continue
    }
    response.write(`${first ? '' : ','}"${key}":[`)
    first = false
    let firstItem = true
    for await (const page of value.joined === undefined ? value.pages : [[value.joined].filter((text) => text !== '')]) {
      if (response.destroyed) return
      if (page.length === 0) continue
      const room = response.write((firstItem ? '' : ',') + drainPage(page))
      firstItem = false
      if (!room && !response.destroyed) await drained(response)
    }
    response.write(']')
  }
  const members = membersText(rest as Record<string, RawJson>)
  response.end(`${first || members === '' ? '' : ','}${members}}`)
}
