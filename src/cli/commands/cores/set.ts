import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { choice, text } from '../../framework/option.js'
import { CORE_JSON, coreArgument, coreLines } from './shared/core.js'

/** `coffer cores set <id>`. */
export const set = command({
  path: ['cores', 'set'],
  summary: 'Change the availability, hosting or address of a core',
  description:
    'A core that is not available gets no new accounts; those that it has are served. The change applies on all cores at once.\n\n' +
    'When a core starts, its settings core.hosting and core.url replace those set here, and core.available = false makes it unavailable. To make a change permanent, change its settings as well.',
  arguments: { id: coreArgument },
  options: {
    available: choice(['yes', 'no'], 'Accept new accounts'),
    hosting: text('Key of its hosting; none for all hostings', { placeholder: 'key' }),
    url: text('Public address of the core', { placeholder: 'url' }),
  },
  examples: [
    { type: 'coffer cores set core-b --available no', description: 'create no more accounts on core-b' },
    { type: 'coffer cores set core-b --hosting eu', description: 'assign core-b to a hosting' },
  ],
  json: `{"core":${CORE_JSON}}`,
  offline: true,
  async run({ out, connect }, { id, available, hosting, url }) {
    const changes = {
      ...(available === undefined ? {} : { available: available === 'yes' }),
      ...(hosting === undefined ? {} : { hosting: hosting === 'none' ? null : hosting }),
      ...(url === undefined ? {} : { url }),
    }
    if (Object.keys(changes).length === 0) throw usageError('No change given: use --available, --hosting or --url', 'For example: coffer cores set core-b --available no')
    const client = await connect()
    const answer = await client.call('cores.set', { id, ...changes }, {})
    await out.result(answer, {
      id,
      print: async () => {
        out.done(`Core ${id} changed`)
        for (const line of coreLines(answer.core, out.time)) await out.line(line)
      },
    })
  },
})
