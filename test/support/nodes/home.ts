/** Homes that outlive their node, for tests that stop it, damage its files, and open it again. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { initialise, type HomePlaces } from '../../../src/server/launch/init.js'
import { placesOf } from './node.js'

/** Creates folders, and homes with a node, that are removed after the tests of the file. */
export function homes(): { folder(): Promise<string>; home(): Promise<HomePlaces> } {
  const made: string[] = []
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true })
  })
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'coffer-home-'))
    made.push(path)
    return path
  }
  return {
    folder,
    async home() {
      const places = placesOf(await folder())
      await initialise(places)
      return places
    },
  }
}
