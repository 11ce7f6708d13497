/** Making a node: its folder, its key, its secrets, its empty store. The only place that creates them. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createStore } from '../../store/engine/open.js'
import { createSeal } from '../../store/keyring/seal.js'
import { createNodeKey, forgetNodeKey, keyStorageOf, moveNodeKey, readNodeKey, type KeyStorageOptions, type Opening } from '../../store/keyring/nodeKey.js'
import type { Secret } from '../../store/model/secret.js'
import { syncFolder } from '../../store/leveldb/syncFolder.js'
import { takeInitLock } from './initLock.js'
import { systemClock } from '../base/clock.js'
import type { Config } from '../config/config.js'
import { editConfigFile, isInConfigFile } from '../config/editFile.js'
import type { FirstAccount } from './firstAccount.js'
import { newId } from '../base/ids.js'
import type { Result } from '../method.js'

export interface HomePlaces {
  home: string
  config: string
  store: string
  files: string
  key: string
}

/** Thrown when the home already holds a node. */
export class AlreadyInitialised extends Error {}

/** Whether a home holds a store, sound or not. */
export const hasStore = (places: HomePlaces): boolean => existsSync(places.store)

/** Thrown when a home has a node's key but no store: a store that was there is gone. */
export class StoreGone extends Error {}

/** What a new node begins with. */
export interface InitPlan {
  /** Settings for `config.toml`, by name. */
  settings?: Readonly<Record<string, unknown>>
  /** An account, and the configuration to make it by. */
  first?: { account: FirstAccount; config: Config }
  /** How its key is kept: in a file without. */
  keeping?: KeyStorageOptions
}

/**
 * Makes a node in an empty home: a key file, generated secrets and the given settings in `config.toml`, a store, in it
 * the first account. The store gets its place last, so there is a whole node or none.
 * @returns the user and the API endpoint of the first account.
 * @throws AlreadyInitialised, StoreGone, NodeKeyUnusable, WrongPassphrase; StoreLocked while another process makes it; ConfigError for a setting; Failure
 * for an account that registration refuses.
 */
export async function initialise(places: HomePlaces, { settings = {}, first, keeping: keyStorage = { by: 'file' } }: InitPlan = {}): Promise<Result> {
  assertNoStore(places)
  const accounts = first === undefined ? undefined : await import('./firstAccount.js')
  if (first !== undefined) accounts?.checkFirstAccount(first.config, first.account)
  await mkdir(places.home, { recursive: true, mode: 0o700 })
  // A store is made beside its place and moved there last, so that a crash leaves a beginning that can be told from a
  // node whose store was lost.
  const draft = join(places.home, 'store.new')
  const hadKey = (await keyStorageOf(places.key)) !== undefined
  if (hadKey && !existsSync(draft)) {
    assertNoStore(places)
    throw new StoreGone(`The node in ${places.home} has its key but no store: ${places.store} is gone.`)
  }
  const claim = await takeInitLock(draft)
  let at = draft
  try {
    // Another process may have finished just before.
    assertNoStore(places)
    await claim.clear()
    const nodeKey = await begunKey(places.key, keyStorage)
    await createStore({ folder: draft, now: () => systemClock.now() }, newId(), await createSeal(nodeKey))
    await mkdir(places.files, { recursive: true, mode: 0o700 })
    await writeSettings(places.config, settings)
    const made = first === undefined ? {} : await accounts?.createFirstAccount({ ...first, draft, key: places.key, passphrase: passphraseOf(keyStorage) })
    await rename(draft, places.store)
    at = places.store
    await syncFolder(places.home)
    return made ?? {}
  } catch (error) {
    // With the key gone first, what a crash leaves here is still a beginning.
    if (!hadKey && at === draft && !hasStore(places)) await forgetNodeKey(places.key)
    if (at === draft && (!hadKey || hasStore(places))) await rm(draft, { recursive: true, force: true })
    throw error
  } finally {
    claim.release(at)
  }
}

const passphraseOf = (keyStorage: KeyStorageOptions): Opening['passphrase'] =>
  keyStorage.by === 'passphrase' ? () => Promise.resolve(keyStorage.passphrase) : undefined

/** The key of a beginning that a crash has left, or a new one; kept as it is to be. */
async function begunKey(path: string, keyStorage: KeyStorageOptions): Promise<Secret<Uint8Array>> {
  const found = await readNodeKey(path, { passphrase: passphraseOf(keyStorage) })
  if (found === undefined) return createNodeKey(path, keyStorage)
  if ((await keyStorageOf(path)) !== keyStorage.by) await moveNodeKey(path, keyStorage, found)
  return found
}

function assertNoStore(places: HomePlaces): void {
  if (hasStore(places)) throw new AlreadyInitialised(`There is already a node in ${places.home}.`)
}

async function writeSettings(file: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  for (const name of ['auth.adminAccessKey', 'auth.filesReadTokenSecret']) {
    if (!isInConfigFile(file, name)) editConfigFile(file, name, randomBytes(24).toString('base64url'))
  }
  for (const [name, value] of Object.entries(settings)) editConfigFile(file, name, value)
}
