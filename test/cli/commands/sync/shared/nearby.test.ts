/** Tests of `coffer sync pair --nearby` and `coffer sync accept --nearby`. */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { withSender } from '../../../../../src/cli/commands/sync/shared/nearby.js'
import { ownAddresses } from '../../../../../src/sync/nearby/multicast.js'
import { startTestNode, type TestNode } from '../../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../../support/closedHome.js'
import { following } from '../../../support/following.js'

let laptop: TestHome
let server: TestHome
let running: TestNode[]

beforeAll(async () => {
  laptop = await testHome('ana-lovelace')
  server = await testHome()
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

const RISK = '--accept-risk=unconfirmed-peer'
const hasNetwork = ownAddresses({ loopback: false }).length > 0

describe('coffer sync with --nearby', () => {
  it.each([
    ['sync pair --nearby --no-wait', '--no-wait'],
    [`sync pair --nearby --qr ${RISK}`, '--qr'],
    [`sync accept --nearby 7KQM-2XWD ${RISK}`, 'pass - to read it from stdin'],
    [`sync accept --nearby ${RISK}`, 'Pass - to read it from stdin'],
    [`sync accept ${RISK}`, '<link> is missing'],
  ])('refuses %s', async (line, says) => {
    const { code, err } = await laptop.run(line)
    expect([code, err]).toEqual([2, expect.stringContaining(says)])
  })

  it('refuses a code of another form', async () => {
    const { code, err } = await laptop.run(`sync accept --nearby - ${RISK}`, { stdin: '7KQM-2XW\n' })
    expect([code, err]).toEqual([2, expect.stringContaining('A code has 8 characters, such as 7KQM-2XWD; this has 7.')])
  })

  it('names the link as the way on a machine without a network', async () => {
    const { networkInterfaces } = os
    onTestFinished(() => {
      Object.assign(os, { networkInterfaces })
      syncBuiltinESMExports()
    })
    Object.assign(os, { networkInterfaces: () => ({}) })
    syncBuiltinESMExports()
    for (const line of ['sync pair --nearby', 'sync accept --nearby - --user ana-lovelace']) {
      const { code, err } = await laptop.run(`${line} ${RISK}`, { stdin: '7KQM-2XWD' })
      expect([line, code, err]).toEqual([line, 7, expect.stringMatching(/no network interface with an IPv4 address\.\n {2}→ Pair by a link: coffer sync pair/)])
    }
  })

  it.skipIf(!hasNetwork)('pairs two nodes by a code, and refuses a wrong one', async () => {
    const pair = following(laptop.home, `sync pair --nearby --json ${RISK}`)
    await pair.until((out) => out.includes('\n'))
    const offered = JSON.parse(pair.out().split('\n')[0] ?? '') as { link: string; code: string }
    expect(offered).toMatchObject({ event: 'offered', link: expect.stringMatching(/^coffer:pair\//) as string, code: expect.stringMatching(/^\w{4}-\w{4}$/) as string })

    const wrong = await server.run(`sync accept --nearby - --user ana-lovelace --create --timeout 3s ${RISK}`, { stdin: '0000-0000' })
    expect([wrong.code, wrong.err]).toEqual([5, expect.stringMatching(/The code does not open (the offer that was|any of the \d offers that were) found in this network\./)])

    const accepted = await server.json(`sync accept --nearby - --user ana-lovelace --create ${RISK}`, { stdin: offered.code.toLowerCase() })
    expect(accepted).toMatchObject({ user: 'ana-lovelace', peer: { name: 'laptop', scope: 'mirror' } })
    expect(await pair.code).toBe(0)

    const none = await server.run(`sync accept --nearby - --timeout 1s ${RISK}`, { stdin: offered.code })
    expect([none.code, none.err]).toEqual([5, expect.stringContaining('in this network')])
  })
})

describe('the address of a link', () => {
  const link = (address: string): string => `coffer:pair/code@${address}`
  it.each([
    ['http://127.0.0.1:3000/', 'http://192.168.1.9:3000/'],
    ['https://localhost/', 'https://192.168.1.9/'],
    ['https://home.example.org/', 'https://home.example.org/'],
    ['nowhere', 'nowhere'],
  ])('%s becomes %s when 192.168.1.9 announced it', (address, expected) => expect(withSender(link(address), '192.168.1.9', ['192.168.1.2'])).toBe(link(expected)))

  it('stays when this machine announced it', () => expect(withSender(link('http://127.0.0.1:3000/'), '192.168.1.2', ['192.168.1.2'])).toBe(link('http://127.0.0.1:3000/')))
})
