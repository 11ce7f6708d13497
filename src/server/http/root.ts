/** `GET /` of the node and of an account: a greeting, as JSON when that is asked for (data supplement 1.3). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Node } from '../node.js'
import { sendResult, sendText } from './respond.js'

export async function sendRoot(node: Node, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const home = node.config.get('service.home') ?? `${node.publicBase()}/`
  if (/application\/json/i.test(request.headers.accept ?? '')) {
    return sendResult(node, request, response, 200, {
      cheersFrom: node.config.get('service.name'),
      learnMoreAt: home,
    })
  }
  const time = new Date(node.clock.now() * 1000).toISOString()
  const text = [
    `# ${node.config.get('service.name')}`,
    '',
    'This is the API of a personal data node.',
    '',
    `API version: ${node.apiVersion}`,
    `Server time: ${time}`,
    '',
    `Ask with "Accept: application/json" for JSON. Learn more at ${home}`,
    '',
  ].join('\n')
  void sendText(node, request, response, 200, 'text/html; charset=utf-8', text)
}
