import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import { NodeKeyUnusable } from '../../../src/store/keyring/nodeKeyUnusable.js'
import { placesOf, registerUser, startTestNode } from '../../support/nodes/node.js'

const homes: string[] = []
async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'coffer-key-'))
  homes.push(home)
  await initialise(placesOf(home))
  return home
}
afterEach(async () => {
  for (const home of homes.splice(0)) await rm(home, { recursive: true, force: true })
})

describe('the node key', () => {
  it('opens the store that was created with it', async () => {
    const home = await newHome()
    const node = await startTestNode({}, { home })
    await registerUser(node, 'ana-lovelace')
    await node.stop()
    const again = await startTestNode({}, { home })
    expect(await again.node.accounts.find('ana-lovelace')).toBeDefined()
    await again.stop()
  })

  it('does not open the store of another node', async () => {
    const home = await newHome()
    const other = await newHome()
    await rm(placesOf(home).store, { recursive: true })
    await cp(placesOf(other).store, placesOf(home).store, { recursive: true })
    await expect(startTestNode({}, { home })).rejects.toThrow(NodeKeyUnusable)
  })
})
