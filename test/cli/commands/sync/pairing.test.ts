/** Tests of `coffer sync`: two nodes in this process that pair and sync one account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'
import { followers, following } from '../../support/following.js'

type Json = Record<string, unknown>

let laptop: TestHome
let server: TestHome
let running: TestNode[]

beforeAll(async () => {
  laptop = await testHome('ana-lovelace')
  server = await testHome()
  await laptop.json('streams create Heart --id heart')
  await laptop.json('streams create Diary --id diary')
  running = [
    await startTestNode({ 'sync.name': 'laptop' }, { home: laptop.home }),
    await startTestNode({ 'sync.name': 'server' }, { home: server.home }),
  ]
})
afterAll(async () => {
  for (const node of running) await node.stop()
  await laptop.remove()
  await server.remove()
})

const peer = async (home: TestHome): Promise<Json> => {
  const { out } = await home.run('sync status --json')
  return (JSON.parse(out) as { peers: Json[] }).peers[0] ?? {}
}

describe('coffer sync without peers', () => {
  it('reports in sync, and suggests sync pair', async () => {
    const { code, out, err } = await laptop.run('sync status')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('coffer sync pair')
    expect(await laptop.json('wait --for ready,synced')).toEqual({ ready: true, synced: true, peers: [] })
  })

  it('requires an interactive comparison or --accept-risk for a pairing', async () => {
    for (const line of ['sync pair', 'sync accept coffer:pair/x@http://127.0.0.1/']) {
      const { code, err } = await laptop.run(line)
      expect([line, code, err]).toEqual([line, 2, expect.stringContaining('--accept-risk=unconfirmed-peer')])
    }
  })

  it.each([
    ['sync pair --share --no-wait', 2, '--streams'],
    ['sync pair --streams heart --no-wait', 2, '--share'],
    ['sync pair --share --streams nowhere --no-wait', 5, 'nowhere'],
    ['sync pair --address nowhere --no-wait', 1, 'https://'],
    ['sync accept nonsense --accept-risk=unconfirmed-peer', 1, 'coffer:pair/'],
    ['sync unpair nobody', 5, 'nobody'],
    ['sync now --peer nobody', 5, 'nobody'],
    ['wait --for tea', 2, 'tea'],
  ])('refuses %s', async (line, exit, says) => {
    const { code, err } = await laptop.run(line)
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })

  it('removes an account that was created for a failed pairing', async () => {
    const { link } = JSON.parse((await laptop.run('sync pair --no-wait --json')).out) as { link: string }
    const wrong = link.replace(/@.*/, '@http://127.0.0.1:1/')
    const { code, err } = await server.run(['sync', 'accept', wrong, '--user', 'ben-hopper', '--create', '--accept-risk=unconfirmed-peer'])
    expect([code, err]).toEqual([1, expect.stringContaining('Connection refused')])
    expect(await server.json('users list')).toMatchObject({ users: [] })
  })
})

describe('coffer sync with a peer', () => {
  it('prints the peer on both nodes after pairing', async () => {
    const node = running[0] as TestNode
    const listening = followers(node.node.sync.pairings, 1)
    const pair = following(laptop.home, 'sync pair --json --accept-risk=unconfirmed-peer')
    await listening
    await pair.until((out) => out.includes('\n'))
    const offered = JSON.parse(pair.out().split('\n')[0] ?? '') as Json
    const accepted = await server.json(['sync', 'accept', String(offered['link']), '--user', 'ana-lovelace', '--create', '--accept-risk=unconfirmed-peer'])
    expect(accepted).toMatchObject({ user: 'ana-lovelace', peer: { name: 'laptop', scope: 'mirror' } })
    expect(await pair.code).toBe(0)
    const [, paired] = pair.out().trim().split('\n').map((line) => JSON.parse(line) as Json)
    expect(paired).toMatchObject({ event: 'paired', peer: { id: (accepted['peer'] as Json)['id'], name: 'server' } })
    expect((await laptop.run('wait --for synced')).code).toBe(0)
    expect((await server.run('streams tree -q')).out.split('\n')).toEqual(expect.arrayContaining(['heart', 'diary']))
    expect((await server.run('sync pair --user ana-lovelace')).code).toBe(2)
  })

  it('shows the peer in status, peers and verify', async () => {
    expect((await laptop.run('sync status')).out).toMatch(/^server\tin sync\t0\t0\t\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d\tall\t?\n$/)
    expect((await laptop.run('status')).out).toContain('Peers     server ✔ in sync')
    expect((await server.run('sync peers list')).out).toContain('laptop\tana-lovelace\tall\talways connected\tin sync\thttp://127.0.0.1')
    expect((await server.run('sync peers show laptop')).out).toMatch(/^laptop\n {2}Account {3}ana-lovelace\n {2}State {5}in sync\n/)
    expect(await laptop.json('sync conflicts')).toEqual({ conflicts: [], refused: [], renamed: [], putAside: [] })
    expect((await laptop.run('sync verify')).out).toBe('✔ ana-lovelace: 2 items read again\n✔ server: in sync\n')
  })

  it('pauses and resumes a peer', async () => {
    expect(await server.json('sync pause --peer laptop')).toMatchObject({ peers: [{ paused: true }] })
    expect((await server.run('sync status')).out).toContain('laptop\tpaused')
    expect((await server.run('sync now')).code).toBe(3)
    // The command wait ignores paused peers.
    expect((await server.run('wait --for synced')).code).toBe(0)
    await server.json('sync resume')
    expect((await server.run('wait --for synced')).code).toBe(0)
  })

  it('lists conflicts and renamed streams', async () => {
    await server.json('sync pause --peer laptop')
    for (const name of ['left', 'right', 'gone']) await laptop.json(`streams create ${name} --id ${name}`)
    const { event } = await laptop.json('events create --stream heart --type note/txt --content first')
    const { id } = event as { id: string }
    await server.json('sync resume')
    expect((await server.run('wait --for synced')).code).toBe(0)
    await server.json('sync pause --peer laptop')
    await laptop.json(['events', 'update', id, '--content', 'by the laptop'])
    await server.json(['events', 'update', id, '--content', 'by the server'])
    // Creates a cycle, two pairs of streams with equal names, and an event of a deleted stream.
    await laptop.json('streams move left --to right')
    await server.json('streams move right --to left')
    for (const home of [laptop, server]) {
      await home.json(`streams create Same --id ${home === laptop ? 'mine' : 'yours'}`)
      await home.json(`streams create Twin --id ${home === laptop ? 'first' : 'second'}`)
    }
    await laptop.json('streams delete gone --accept-risk=lose-data')
    const orphan = await server.json('events create --stream gone --type note/txt --content orphan')
    await server.json('sync resume')
    expect((await server.run('wait --for synced')).code).toBe(0)

    for (const home of [laptop, server]) {
      const report = (await home.json('sync conflicts')) as { conflicts: Json[]; renamed: Json[]; refused: Json[] }
      const shown = ((await home.json(['events', 'show', id]))['event'] as Json)['content']
      const other = shown === 'by the laptop' ? 'by the server' : 'by the laptop'
      expect(report.conflicts).toMatchObject([{ user: 'ana-lovelace', kind: 'event', id, fields: [{ field: 'content', shown, others: [other] }] }])
      expect(report.refused).toEqual([])
      expect(report.renamed.map((each) => each['id']).sort()).toEqual([/^(left|right)$/, /^(first|second)$/, /^(mine|yours)$/].map((id) => expect.stringMatching(id)))
      const { repaired } = await home.json('api node.attention')
      expect(repaired).toEqual([{ user: 'ana-lovelace', names: 2, places: 1 }])
      const { out } = await home.run('sync conflicts')
      expect(out).toContain(`event ${id}  of ana-lovelace, merged `)
      expect(out).toContain(`  content: ${String(shown)}\n           other value: ${other}\n`)
      expect(out).toMatch(/stream (mine|yours) {2}of ana-lovelace, displayed as Same[^,]+, written as Same/)
      expect((await home.run(['events', 'show', (orphan['event'] as { id: string }).id])).out).toContain('recovered')
    }
  })

  it('renames a peer, and changes its schedule', async () => {
    expect(await server.json('sync peers set laptop --name travel --every 15m')).toMatchObject({ peer: { name: 'travel', every: 900 } })
    expect(await server.json('sync now')).toMatchObject({ peers: [{ name: 'travel', state: 'in-sync' }] })
    expect(await server.json('sync peers set travel --always')).toMatchObject({ peer: { every: null } })
    expect((await server.run('sync peers set travel')).code).toBe(2)
    const narrowed = await server.run('sync peers set travel --streams heart')
    expect([narrowed.code, narrowed.err]).toEqual([1, expect.stringContaining('--share')])
    expect((await server.run('sync history')).out).toContain('travel')
  })

  it('unpairs', async () => {
    expect((await server.run('sync unpair travel')).code).toBe(2)
    expect((await server.run('sync unpair travel --accept-risk=keep-copy')).err).toContain('Unpaired from travel')
    expect(await peer(laptop)).toMatchObject({ state: 'refused', reason: 'The other node has ended the pairing.' })
    expect(await laptop.json('sync unpair server --accept-risk=keep-copy')).toMatchObject({ unpaired: { notified: true } })
    expect((await laptop.run('sync status')).code).toBe(0)
  })
})
