import { command } from '../../command.js'
import { CORE_JSON, coreArgument, coreLines, TOKEN_JSON, tokenLine } from './shared/core.js'

/** `coffer cores show <id>`. */
export const show = command({
  path: ['cores', 'show'],
  summary: 'Show one core of the platform, with its join tokens',
  arguments: { id: coreArgument },
  examples: [{ type: 'coffer cores show core-b', description: 'show a core' }],
  json: `{"core":${CORE_JSON},"tokens":[${TOKEN_JSON}]}`,
  offline: true,
  async run({ out, connect }, { id }) {
    const client = await connect()
    const answer = await client.call('cores.show', { id }, {})
    await out.result(answer, {
      id,
      print: async () => {
        await out.line(answer.core.id)
        for (const line of coreLines(answer.core, out.time)) await out.line(line)
        for (const token of answer.tokens) await out.line(`  ${'Join token'.padEnd(14)}${tokenLine(token, out.time)}`)
      },
    })
  },
})
