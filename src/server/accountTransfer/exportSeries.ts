/** Export lines of series points. */
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { rowsText } from '../../store/model/rowText.js'
import { headOf } from '../../store/series/head.js'
import { readingOf } from '../../store/series/readSegments.js'
import type { Export } from './exportContext.js'

/** Points per line. */
const ROWS = 1000

export async function* seriesLines(from: Export): AsyncGenerator<string> {
  const { account, snapshot, reader } = from
  const all = accountKeys.allSeries(account.prefix)
  for await (const key of each(from.source.db.keys(under(all), {}, snapshot))) {
    const event = key.slice(all.length)
    const head = headOf(reader, account.prefix, event)
    if (head === undefined) continue
    const { fields } = head
    const start = `{"event":${JSON.stringify(event)},"fields":${JSON.stringify(['deltaTime', ...fields])},"points":[`
    from.count('series')
    for await (const points of readingOf(account, event, head, { from: -Infinity, to: Infinity }, snapshot)) {
      const count = points.deltaTimes.length
      for (let at = 0; at < count; at += ROWS) {
        const end = Math.min(count, at + ROWS)
        from.count('points', end - at)
        yield `${start}${rowsText(points, fields, at, end)}]}`
      }
    }
  }
}
