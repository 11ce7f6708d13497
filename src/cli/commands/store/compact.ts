import { command } from '../../command.js'
import { bytes, span } from '../../terminal/output/format.js'
import { runMaintenance } from './shared/work.js'

/** `coffer store compact`. */
export const compact = command({
  path: ['store', 'compact'],
  summary: 'Compact the database files',
  description:
    'Frees the space of deleted and replaced entries. LevelDB compacts automatically over time; this command does it now, for example after deleting a lot of data. It needs as much free space as the largest table. The node can keep running.',
  examples: [{ type: 'coffer store compact', description: 'with or without a running node' }],
  json: '{"before","after","seconds"}; bytes of the files of the database',
  offline: true,
  async run(context) {
    const { out } = context
    const answer = await runMaintenance(context, 'store.compact', {})
    const { before, after, seconds } = answer
    await out.result(answer, {
      print: async () => {
        await out.line(`before  ${bytes(before)}`)
        await out.line(`after   ${bytes(after)}`)
        out.done(`Compacted in ${span(seconds)}`)
      },
    })
  },
})
