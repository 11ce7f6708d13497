import { it } from 'vitest'
import { callAt, sharing, startSide, stopSides } from '/work/wt/share/test/support/pairedNodes.js'
import { tappedLine } from '/work/wt/share/test/support/tappedLine.js'
it('cost', { timeout: 300000 }, async () => {
  for (const streamIds of [['shared'], ['shared', 'private']]) {
    const [a, b] = [await startSide({ 'sync.active': false }), await startSide({ 'sync.active': false })]
    await callAt(a, 'streams.create', { id: 'shared', name: 'x' })
    await callAt(a, 'streams.create', { id: 'private', name: 'y' })
    const id = String((await callAt(a, 'events.create', { streamIds, type: 'note/txt', content: 'x' }))['event']?.['id'])
    const line = await tappedLine(a, b, sharing('shared'))
    await line.connect()
    await line.inStep()
    for (const n of [100, 100, 200, 400]) {
      const cpu = process.cpuUsage()
      for (let i = 0; i < n; i++) { await callAt(a, 'events.update', { id, update: { content: `x${i}` } }) ; if (i % 10 === 0) await new Promise((r) => setTimeout(r, 5)) }
      await line.inStep()
      const { user, system } = process.cpuUsage(cpu)
      console.log(streamIds.join(), n, ((user + system) / n / 1000).toFixed(2), 'ms each')
    }
    await line.disconnect()
    await stopSides(a, b)
  }
})
