import { command } from '../../command.js'
import { numberOf } from '../../client/answer.js'
import { bytes, span } from '../../terminal/output/format.js'
import { workedOn } from '../../store/work.js'

/** `coffer store compact`. */
export const compact = command({
  path: ['store', 'compact'],
  summary: 'Have the database write its files anew, without what is gone',
  description:
    'Frees the space of what was deleted and replaced. LevelDB does so by itself in time; after deleting much, this does it at once. It needs as much free space as the largest table, and the node may go on meanwhile.',
  examples: [{ type: 'coffer store compact', says: 'with a running node or without' }],
  json: '{"before","after","seconds"}; bytes of the files of the database',
  offline: true,
  async run(context) {
    const { out } = context
    const answer = await workedOn(context, 'store.compact', {})
    const [before, after, seconds] = ['before', 'after', 'seconds'].map((name) => numberOf(answer[name]) ?? 0) as [number, number, number]
    await out.result(answer, {
      print: async () => {
        await out.line(`before  ${bytes(before)}`)
        await out.line(`after   ${bytes(after)}`)
        out.done(`Compacted in ${span(seconds)}`)
      },
    })
  },
})
