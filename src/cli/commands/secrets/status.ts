import { command } from '../../command.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import { when } from '../../terminal/output/format.js'
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
    const secret = recordOf(answer['sharedSecret'])
    const state = secret['expired'] === true ? 'expired' : textOf(secret['status'])
    await out.result(answer, {
      id: state,
      print: async () => {
        const lines: [string, string][] = [
          ['title', textOf(secret['title'])],
          ['status', state],
          ['valid until', when(numberOf(secret['expires']) ?? 0)],
          ...listOf(secret['statusHistory']).map(({ status: was, time, info }): [string, string] => [
            textOf(was),
            `${when(numberOf(time) ?? 0)}${typeof info === 'string' ? ` (${info})` : ''}`,
          ]),
        ]
        for (const [name, value] of lines) await out.line(`${name.padEnd(18)} ${value}`)
      },
    })
  },
})
