import { command } from '../../command.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { keyFile, keyOf } from './proof.js'

/** `coffer secrets status`. */
export const status = command({
  path: ['secrets', 'status'],
  summary: 'Show the status of a one-time secret',
  description: 'Reads a key from stdin or a prompt. The value is not retrieved.',
  options: { keyFile, ...actingAs },
  examples: [{ type: 'coffer secrets status --key-file key.txt', description: 'check whether it was retrieved' }],
  json: '{"sharedSecret":{"id","title","status","statusHistory","onConsumed","expires"}}, the result of sharedSecrets.getOne',
  offline: true,
  async run(context, options) {
    const { out, connect } = context
    const key = await keyOf(context, options.keyFile)
    const client = await connect()
    const answer = await client.call('sharedSecrets.getOne', { key }, await authorityOf(client, options))
    const secret = answer.sharedSecret
    const state = secret.expired === true ? 'expired' : secret.status
    await out.result(answer, {
      id: state,
      print: async () => {
        const lines: [string, string][] = [
          ['title', secret.title],
          ['status', state],
          ['valid until', out.time(secret.expires)],
          ...secret.statusHistory.map(({ status: was, time, info }): [string, string] => [
            was,
            `${out.time(time)}${typeof info === 'string' ? ` (${info})` : ''}`,
          ]),
        ]
        for (const [name, value] of lines) await out.line(`${name.padEnd(18)} ${value}`)
      },
    })
  },
})
