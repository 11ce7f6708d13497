import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { request, startTestNode } from '../../../support/nodes/node.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'
import { followers, following } from '../../support/following.js'
import type { Following } from '../../support/following.js'

type Event = Record<string, unknown> & { id: string }

let node: TestHome
let count = 0
/** Id of the current test's own stream. */
let stream: string

beforeAll(async () => {
  node = await testHome('ana-lovelace')
})
afterAll(() => node.remove())
beforeEach(async () => {
  stream = `s${++count}`
  await node.json(`streams create ${stream} --id ${stream}`)
})

const linesOf = (text: string): Event[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)

describe('events watch', () => {
  it('exits 7 when no node runs', async () => {
    expect((await node.run('events watch')).code).toBe(7)
  })

  it('prints events that are created, changed and deleted on a running node', async () => {
    const other = `${stream}-other`
    await node.json(`streams create ${other} --id ${other}`)
    const running = await startTestNode({}, { home: node.home })
    try {
      const followed = followers(running.node.store, 4)
      const everything = watching('--json --limit 4')
      const chosen = watching(`--json --limit 1 --stream ${stream} --type mass/*`)
      const quiet = watching(`-q --limit 1 --stream ${stream}`)
      const people = watching(`--limit 1 --stream ${stream}`)
      await followed
      const { event } = await node.json(`events create --stream ${other} --type mass/kg --content 1`)
      await node.json(`events create --stream ${stream} --type mass/kg --content 2`)
      const { id } = event as Event
      await node.json(`events trash ${id}`)
      // Two changes in quick succession may arrive as one.
      await everything.until((out) => out.includes('"trashed":true'))
      await node.json(`events delete ${id} --accept-risk=lose-data`)
      expect([await everything.code, await chosen.code, await quiet.code, await people.code]).toEqual([0, 0, 0, 0])
      const seen = linesOf(everything.out())
      expect(seen).toMatchObject([{ id, content: 1 }, { content: 2 }, { id, trashed: true }, { id }])
      expect(seen.map((each) => each['deleted'] !== undefined)).toEqual([false, false, false, true])
      expect(linesOf(chosen.out())).toMatchObject([{ content: 2, streamIds: [stream] }])
      expect(quiet.out()).toBe(`${seen[1]?.id ?? ''}\n`)
      expect(people.out()).toContain(`\t${stream}\tmass/kg\t2\t${seen[1]?.id ?? ''}\n`)
      expect((await node.run('events watch --stream nope')).code).toBe(5)
    } finally {
      await running.stop()
    }
  })

  it('prints no earlier events, and with --from those that changed since, then new ones', async () => {
    const earlier = await node.json(`events create --stream ${stream} --type mass/kg --content 1 --time 1000`)
    const gone = await node.json(`events create --stream ${stream} --type mass/kg --content 2 --time 2000`)
    const { id } = gone['event'] as Event
    await node.json(`events trash ${id}`)
    await node.json(`events delete ${id} --accept-risk=lose-data`)
    const running = await startTestNode({}, { home: node.home })
    try {
      const followed = followers(running.node.store, 3)
      const now = watching(`--json --limit 1 --stream ${stream}`)
      const before = watching(`--json --limit 2 --stream ${stream} --from -1h`)
      const deleted = watching(`--json --from -1h --limit 1000`)
      await followed
      await before.until((out) => out !== '')
      await deleted.until((out) => out.includes('"deleted"'))
      await node.json(`events create --stream ${stream} --type mass/kg --content 3`)
      expect([await now.code, await before.code]).toEqual([0, 0])
      expect(linesOf(now.out())).toMatchObject([{ content: 3 }])
      expect(linesOf(before.out())).toMatchObject([{ id: (earlier['event'] as Event).id, content: 1 }, { content: 3 }])
      await deleted.until((out) => out.includes('"content":3'))
      const seen = linesOf(deleted.out())
      expect(seen.find((event) => event.id === id)).toMatchObject({ deleted: expect.any(Number) as number })
      expect(seen.filter(({ content }) => content === 3)).toHaveLength(1)
      process.emit('SIGINT')
      expect(await deleted.code).toBe(130)
    } finally {
      await running.stop()
    }
  })

  it('prints changes made by HTTP, a batch and an import', async () => {
    const access = await node.json(['accesses', 'create', '--name', `app of ${stream}`, '--permission', `${stream}:manage`])
    const { token } = access['access'] as { token: string }
    const running = await startTestNode({}, { home: node.home })
    try {
      const followed = followers(running.node.store, 1)
      const watch = watching(`--json --limit 4 --stream ${stream}`)
      await followed
      const event = (content: number): Event => ({ streamIds: [stream], type: 'mass/kg', content }) as unknown as Event
      await request(`${running.url}ana-lovelace/events`, { token, body: event(1) })
      await request(`${running.url}ana-lovelace`, {
        token,
        body: [2, 3].map((content) => ({ method: 'events.create', params: event(content) })),
      })
      await node.run(['events', 'import', '--stream', stream, '--type', 'mass/kg', '--time-column', 't', '--value-column', 'kg', '--format', 'csv', '-'], {
        stdin: 't,kg\n1700000000,4\n',
      })
      expect(await watch.code).toBe(0)
      expect(linesOf(watch.out()).map(({ content }) => content)).toEqual([1, 2, 3, 4])
    } finally {
      await running.stop()
    }
  })

  it('includes child streams that are created meanwhile', async () => {
    const running = await startTestNode({}, { home: node.home })
    try {
      const followed = followers(running.node.store, 1)
      const watch = watching(`--json --limit 1 --stream ${stream}`)
      await followed
      await node.json(`streams create below --id ${stream}-below --parent ${stream}`)
      await node.json(`events create --stream ${stream}-below --type mass/kg --content 1`)
      await watch.code
      expect(linesOf(watch.out())).toMatchObject([{ streamIds: [`${stream}-below`] }])
    } finally {
      await running.stop()
    }
  })

  it('exits 130 on Ctrl-C, and 7 when the node stops', async () => {
    const running = await startTestNode({}, { home: node.home })
    const followed = followers(running.node.store, 1)
    const interrupted = watching('')
    await followed
    process.emit('SIGINT')
    expect(await interrupted.code).toBe(130)
    const again = followers(running.node.store, 1)
    const disconnected = watching('')
    await again
    await running.stop()
    expect(await disconnected.code).toBe(7)
  })
})

/** Starts `coffer events watch` in the background. */
const watching = (options: string): Following => following(node.home, `events watch ${options}`)
