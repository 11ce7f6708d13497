/**
 * Answers `GET /` of the node and of an account (docs/interface/conventions.md#root): JSON on request, a web page for browsers,
 * otherwise a greeting as text with links to the API reference.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { pageAddress } from '../config/apiEndpoint.js'
import type { Node } from '../index.js'
import { clientHost } from '../auth/origin.js'
import type { Address } from './address.js'
import { sendResult, sendText } from './respond.js'

/** Addresses of the API descriptions (RFC 8631). */
interface Descriptions {
  forPeople: string
  forPrograms: string
}

/** The node's web pages. */
export interface WebPages {
  /** Checks whether a path of the node belongs to the pages. */
  has(path: string): boolean
  /** Checks whether a path belongs to them on the host of an account, where usernames are in host names. */
  isOnAccountHost(path: string): boolean
  fetch(request: Request, bindings: HttpBindings): Response | Promise<Response>
}

export async function sendRoot(node: Node, pages: WebPages, request: IncomingMessage, response: ServerResponse, address: Address): Promise<void> {
  const home = node.config.get('service.home') ?? `${node.publicBase()}/`
  const accepted = request.headers.accept ?? ''
  if (/application\/json/i.test(accepted)) {
    return sendResult(node, request, response, 200, {
      cheersFrom: node.config.get('service.name'),
      learnMoreAt: home,
    })
  }
  const { forPeople, forPrograms } = { forPeople: pageAddress(node, '/api'), forPrograms: `${node.publicBase()}/openapi.json` }
  const links = ['Link', `<${forPeople}>; rel="service-doc"; type="text/html", <${forPrograms}>; rel="service-desc"; type="application/json"`]
  if (/text\/html/i.test(accepted)) return sendPage(node, pages, request, response, address, links)
  const lines = greetingOf(node, home, { forPeople, forPrograms })
  void sendText(node, request, response, 200, 'text/html; charset=utf-8', `${lines.join('\n')}\n`, links)
}

/** Sends the start page of the node, or the page of an account address. */
async function sendPage(node: Node, pages: WebPages, incoming: IncomingMessage, outgoing: ServerResponse, address: Address, links: string[]): Promise<void> {
  const query = new URLSearchParams(address.query)
  if (address.kind === 'account') query.set('username', address.username)
  const url = `${pageAddress(node, address.kind === 'account' ? '/account' : '/welcome')}?${query.toString()}`
  const page = await pages.fetch(new Request(url), { incoming, outgoing })
  const body = Buffer.from(await page.arrayBuffer())
  if (outgoing.headersSent || outgoing.destroyed) return
  // Without the headers that let other origins read answers: the page may name the signed-in account.
  const headers: string[] = []
  page.headers.forEach((value, name) => {
    if (name === 'set-cookie') return
    // A path alone would be resolved with the token that the address of a shared link contains.
    const isPath = name === 'location' && value.startsWith('/') && !value.startsWith('//')
    headers.push(name, isPath ? `//${clientHost(node, incoming)}${value}` : value)
  })
  for (const cookie of page.headers.getSetCookie()) headers.push('Set-Cookie', cookie)
  outgoing.writeHead(page.status, [...headers, ...links, 'Content-Length', String(body.length)])
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
}

function greetingOf(node: Node, home: string, { forPeople, forPrograms }: Descriptions): string[] {
  return [
    `# ${node.config.get('service.name')}`,
    '',
    'This is the API of a personal data node.',
    '',
    `API version: ${node.apiVersion}`,
    `Server time: ${new Date(node.clock.now() * 1000).toISOString()}`,
    '',
    `API reference: ${forPeople}`,
    `OpenAPI document: ${forPrograms}`,
    '',
    `Send "Accept: application/json" for JSON. Learn more at ${home}`,
  ]
}
