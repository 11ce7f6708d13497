/**
 * Answers `GET /` of the node and of an account with a greeting, as JSON on request (docs/interface/conventions.md#root), and
 * links to the API reference.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pageAddress } from '../config/apiEndpoint.js'
import type { Node } from '../index.js'
import { sendResult, sendText } from './respond.js'

/** Addresses of the API descriptions (RFC 8631). */
interface Descriptions {
  forPeople: string
  forPrograms: string
}

export async function sendRoot(node: Node, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const home = node.config.get('service.home') ?? `${node.publicBase()}/`
  const accepted = request.headers.accept ?? ''
  if (/application\/json/i.test(accepted)) {
    return sendResult(node, request, response, 200, {
      cheersFrom: node.config.get('service.name'),
      learnMoreAt: home,
    })
  }
  const descriptions = { forPeople: pageAddress(node, '/api'), forPrograms: `${node.publicBase()}/openapi.json` }
  const lines = greetingOf(node, home, descriptions)
  const isBrowser = /text\/html/i.test(accepted)
  const text = isBrowser ? documentOf(node, lines, [home, ...Object.values(descriptions)]) : `${lines.join('\n')}\n`
  const { forPeople, forPrograms } = descriptions
  const links = ['Link', `<${forPeople}>; rel="service-doc"; type="text/html", <${forPrograms}>; rel="service-desc"; type="application/json"`]
  const policy = isBrowser ? ['Content-Security-Policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"] : []
  void sendText(node, request, response, 200, 'text/html; charset=utf-8', text, [...links, ...policy])
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

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Formats the lines as a page with links for the addresses at the ends of lines. */
function documentOf(node: Node, lines: readonly string[], addresses: readonly string[]): string {
  const formatted = lines.map((line) => {
    const address = addresses.find((each) => line.endsWith(` ${each}`))
    if (address === undefined || !/^https?:/i.test(address)) return escaped(line)
    return `${escaped(line.slice(0, -address.length))}<a href="${escaped(address)}">${escaped(address)}</a>`
  })
  const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
  const title = escaped(node.config.get('service.name'))
  // Long addresses wrap on phones; the policy allows no styles.
  return `<!DOCTYPE html><html lang="en"><head>${head}<title>${title}</title></head><body><p>${formatted.join('<br>')}</p></body></html>\n`
}
