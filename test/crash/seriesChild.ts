/**
 * Node in a process of its own that writes points until it is killed. Arguments: the home, the seed, and the number of earlier
 * steps. Prints the number of each step that is on disk.
 */
import { loadConfig } from '../../src/server/config/config.js'
import { createLog } from '../../src/server/base/log.js'
import { runNode } from '../../src/server/launch/run.js'
import { addEvent, findEvent, removeEvent } from '../../src/store/events/events.js'
import type { Transaction } from '../../src/store/engine/account.js'
import { writePoints } from '../../src/store/series/series.js'
import { pointsOf } from '../store/series/support.js'
import { MARK, stepsOf, type Step } from './seriesWork.js'

/** Number of concurrent steps. */
const AT_ONCE = 8

const [home = '', seed = '', made = ''] = process.argv.slice(2)
const { node } = await runNode({
  store: `${home}/store`,
  key: `${home}/node.key`,
  socket: `${home}/${process.pid}.sock`,
  config: loadConfig({ file: `${home}/config.toml`, flags: { 'http.port': 0 } }),
  log: createLog('error', () => 0, (line) => void process.stderr.write(line)),
})
const account = (await node.accounts.find('alice'))?.account
if (account === undefined) throw new Error('no account')

function addHolder(t: Transaction, id: string): void {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  addEvent(t, node.store.recorder, { id, streamIds: ['a'], type: 'series:mass/kg', time: 1, tags: [], ...tracking })
}

function make(t: Transaction, { number, holder, isNew, isRemoval, rows }: Step): void {
  const now = node.clock.now()
  if (number === 1) addHolder(t, MARK)
  if (isNew) addHolder(t, holder)
  writePoints(t, MARK, pointsOf([[number, { value: number }]]), now)
  if (!isRemoval) return writePoints(t, holder, pointsOf(rows), now)
  const event = findEvent(t, t.account, holder)
  if (event !== undefined) removeEvent(t, node.store.recorder, event, now, 'keep-nothing', (kept) => kept)
}

const waiting: Promise<void>[] = []
for (const step of stepsOf(Number(seed))) {
  if (step.number <= Number(made)) continue
  const done = account.write((t) => make(t, step))
  waiting.push(done.then(() => void process.stdout.write(`${step.number}\n`)))
  if (waiting.length >= AT_ONCE) await waiting.shift()
}
