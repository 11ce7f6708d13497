import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dial } from '../../../src/server/sync/dial.js'
import { createSyncHandler, type SyncHandler } from '../../../src/server/sync/syncHandler.js'
import type { Account } from '../../../src/store/engine/account.js'
import { purposeMessage } from '../../../src/sync/channel/purpose.js'
import { acceptPairing } from '../../../src/sync/pairing/accept.js'
import { makeIdentity, type Identity } from '../../../src/sync/pairing/identity.js'
import { parsePairingUrl } from '../../../src/sync/pairing/pairingUrl.js'
import { createOffers } from '../../../src/sync/pairing/offers.js'
import { peerOfPairing } from '../../../src/store/replication/peers.js'
import { makeAccount, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { realTimers as timers } from '../../support/sync/signers.js'

interface Side {
  node: TestNode
  account: Account
  identity: Identity
}

async function side(username: string): Promise<Side> {
  const node = await startTestNode()
  await makeAccount(node, username)
  const account = (await node.node.accounts.find(username))?.account
  if (account === undefined) throw new Error('no account')
  return { node, account, identity: await makeIdentity(node.node.store) }
}

let local: Side
let remote: Side
let handler: SyncHandler
const now = (): number => 1000
beforeAll(async () => {
  local = await side('anna1')
  remote = await side('anna2')
})
afterAll(async () => {
  await local.node.stop()
  await remote.node.stop()
})

describe('two nodes on a network', () => {
  it('are paired with a link, and identify each other in a session', async () => {
    const offers = createOffers({ name: 'home', identity: () => makeIdentity(local.node.node.store), now, timers })
    const known: string[] = []
    handler = createSyncHandler({
      signer: () => makeIdentity(local.node.node.store),
      timers,
      addressOf: ({ socket }) => socket.remoteAddress ?? '',
      onPair: (channel) => offers.answer(channel),
      async onSession(channel, pairing) {
        const peer = await peerOfPairing(local.account.db, local.account.prefix, pairing)
        known.push(peer?.node === channel.node ? peer.name : 'unknown-pairing')
        channel.close(known.at(-1))
      },
      log: { debug: () => {}, warn: (message, fields) => void known.push(`${message} ${JSON.stringify(fields)}`) },
    })
    const server = createServer()
    server.on('upgrade', (request, socket, head) => handler.upgrade(request, socket, head))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    try {
      const offer = await offers.offer({ account: local.account, accountName: 'anna1', scope: { is: 'mirror' }, address })
      const link = parsePairingUrl(offer.link)
      const { identity, account } = remote
      const channel = await dial(link.address, { signer: identity, timers, expected: link.node })
      const there = await acceptPairing({
        ...{ channel, link, account, accountName: 'anna2', name: 'laptop', node: identity.node, now, timers },
      })
      const here = await offer.pairing
      expect(there.words).toEqual(here.words)
      const [theirs, ours] = await Promise.all([there.confirm(), here.confirm()])
      expect([theirs.name, ours.name, theirs.address]).toEqual(['home', 'laptop', address])
      for (const pairing of [ours.pairing, 'A'.repeat(22)]) {
        const session = await dial(address, { signer: identity, timers, expected: theirs.node })
        await session.send(purposeMessage({ is: 'session', pairing }))
        expect((await session.messages[Symbol.asyncIterator]().next()).done).toBe(true)
        expect(session.closeReason).toBe(pairing === ours.pairing ? 'laptop' : 'unknown-pairing')
      }
      expect(known).toEqual(['laptop', 'unknown-pairing'])
    } finally {
      handler.stop()
      server.closeAllConnections()
      server.close()
    }
  })
})
