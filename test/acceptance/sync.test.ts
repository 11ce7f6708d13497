/** Test of sync between two nodes with the real binary: pairing by a link, writes on both, a killed and restarted node. */
import { expect, it } from 'vitest'
import { coffer, folder, json, start, type Outcome } from './support/coffer.js'

const password = 'correct horse battery'
type Json = Record<string, unknown>

const peersOf = (outcome: Outcome): Json[] => json(outcome)['peers'] as Json[]

it('an account stays in sync on two nodes', { timeout: 60_000 }, async () => {
  const homes = { laptop: folder(), server: folder() }
  const laptop = await start(homes.laptop)
  const port = new URL(laptop.url).port
  await start(homes.server)
  const on = (name: keyof typeof homes, line: string, stdin = ''): Promise<Outcome> =>
    coffer(`${line} --home ${homes[name]}`, { stdin })
  const both = (line: string): Promise<Outcome[]> => Promise.all([on('laptop', line), on('server', line)])
  const ok = async (outcome: Promise<Outcome>): Promise<Outcome> => {
    const ended = await outcome
    expect(ended, ended.err).toMatchObject({ code: 0 })
    return ended
  }

  await ok(on('laptop', 'users create ana-lovelace --email ana@example.org --password-stdin -q', password))
  await ok(on('laptop', 'streams create Weight --id weight'))
  await ok(on('laptop', 'events create --stream weight --type mass/kg --content 71 -q'))

  const offered = json(await ok(on('laptop', 'sync pair --user ana-lovelace --no-wait --json')))
  expect(offered).toMatchObject({ event: 'offered', link: expect.stringMatching(/^coffer:pair\//) as string })
  expect((await on('server', `sync accept ${String(offered['link'])} --user ana-lovelace --create`)).code).toBe(2)
  const accept = 'sync accept - --user ana-lovelace --create --accept-risk=unconfirmed-peer --json'
  const accepted = json(await ok(on('server', accept, `${String(offered['link'])}\n`)))
  expect(accepted).toMatchObject({ user: 'ana-lovelace', peer: { id: expect.any(String) as string, name: expect.any(String) as string } })
  // A link is valid for one node.
  expect((await on('server', accept, String(offered['link']))).code).not.toBe(0)
  await ok(on('server', 'wait --for ready,synced --timeout 20s'))

  // Both nodes receive the changes of the other.
  await both('events create --stream weight --type mass/kg --content 72 -q')
  await ok(on('laptop', 'streams create Heart --id heart'))
  await ok(on('server', 'streams create Diary --id diary'))
  const [compared] = peersOf(await ok(on('laptop', 'sync now --user ana-lovelace --json')))
  expect(compared).toMatchObject({ state: 'in-sync', sent: expect.any(Number) as number, received: expect.any(Number) as number })
  for (const query of ['api streams.get', 'api events.get {"streams":["weight","heart","diary"]}']) {
    const [one, other] = await both(`${query} --user ana-lovelace`)
    const data = ({ out }: Outcome): string => out.replace(/"meta":.*/, '')
    expect(data(one as Outcome)).toContain('weight')
    expect(data(other as Outcome)).toBe(data(one as Outcome))
  }
  const [status] = peersOf(await ok(on('server', 'sync status --json')))
  expect(status).toMatchObject({ user: 'ana-lovelace', state: 'in-sync', behind: 0, ahead: 0, scope: 'mirror' })
  expect((await both('sync verify')).map(({ code }) => code)).toEqual([0, 0])

  await laptop.stop('SIGKILL')
  const [gone] = await Promise.all([on('server', 'sync now --json --timeout 5s'), on('server', 'events create --stream weight --type mass/kg --content 73 -q')])
  expect([gone.code, peersOf(gone)[0]?.['state']]).toEqual([3, 'offline'])
  expect(await on('server', 'sync status')).toMatchObject({ code: 3 })
  expect(await on('laptop', 'sync status --json')).toMatchObject({ code: 3 })
  expect(await on('laptop', 'sync now')).toMatchObject({ code: 7 })

  await start(homes.laptop, { options: `--port ${port}` })
  await ok(on('server', 'wait --for synced --timeout 20s'))
  expect((await on('laptop', 'events list --stream weight -q')).out.trim().split('\n')).toHaveLength(4)

  const name = String(status?.['name'])
  expect((await on('server', `sync unpair ${name}`)).code).toBe(2)
  const { unpaired } = json(await ok(on('server', `sync unpair ${name} --accept-risk=keep-copy --json`)))
  expect(unpaired).toMatchObject({ name, notified: true })
  expect(peersOf(await ok(on('server', 'sync status --json')))).toEqual([])
  expect(peersOf(await on('laptop', 'sync status --json'))).toMatchObject([{ state: 'refused', reason: 'The other node has ended the pairing.' }])
})
