/** Creates a node: its folder, its key, its secrets, its empty store. The only place that creates them. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createStore } from '../../store/engine/open.js'
import { productVersion } from '../base/version.js'
import { createSeal } from '../../store/keyring/seal.js'
import { createNodeKey, forgetNodeKey, keyStorageOf, moveNodeKey, readNodeKey, type KeyStorageOptions, type Opening } from '../../store/keyring/nodeKey.js'
import type { Secret } from '../../store/model/secret.js'
import { syncFolder } from '../../store/leveldb/filesOnDisk.js'
import { acquireInitLock } from './initLock.js'
import { systemClock } from '../base/clock.js'
import type { Config } from '../config/config.js'
import { editConfigFile, isInConfigFile } from '../config/editFile.js'
import type { FirstAccount } from './firstAccount.js'
import { newId } from '../base/ids.js'
import type { Result } from '../call/method.js'

export interface HomePlaces {
  home: string
  config: string
  store: string
  files: string
  key: string
}

/** Error: the home already contains a node. */
export class AlreadyInitialised extends Error {}

/** Checks whether a home contains a store, intact or not. */
export const hasStore = (places: HomePlaces): boolean => existsSync(places.store)

/** Error: the home has a node key but no store, so that the store was lost. */
export class StoreMissing extends Error {}

/** Options of a new node. */
interface InitPlan {
  /** Settings for `config.toml`, by name. */
  settings?: Readonly<Record<string, unknown>>
  /** The first account, and the configuration to create it with. */
  first?: { account: FirstAccount; config: Config }
  /** Storage of the node key; a file by default. */
  keyStorage?: KeyStorageOptions
}

/**
 * Creates a node in an empty home: a key file, generated secrets and the given settings in `config.toml`, a store, and in it the
 * first account. The store is moved to its place last, so that the node is complete or absent.
 * @returns the user and the API endpoint of the first account.
 * @throws AlreadyInitialised, StoreMissing, NodeKeyUnusable, WrongPassphrase; StoreLocked while another process creates it;
 * ConfigError for a setting; Failure for an account that registration rejects.
 */
export async function initialise(places: HomePlaces, { settings = {}, first, keyStorage: keyStorage = { by: 'file' } }: InitPlan = {}): Promise<Result> {
  assertNoStore(places)
  const accounts = first === undefined ? undefined : await import('./firstAccount.js')
  if (first !== undefined) accounts?.checkFirstAccount(first.config, first.account)
  await mkdir(places.home, { recursive: true, mode: 0o700 })
  // A store is created as a draft and moved to its place last, so that an interrupted creation differs from a node whose store
  // was lost.
  const draft = join(places.home, 'store.new')
  const hadKey = (await keyStorageOf(places.key)) !== undefined
  if (hadKey && !existsSync(draft)) {
    assertNoStore(places)
    throw new StoreMissing(`The node in ${places.home} has its key but no store: ${places.store} is missing.`)
  }
  const claim = await acquireInitLock(draft)
  let at = draft
  try {
    // Another process may have finished in the meantime.
    assertNoStore(places)
    await claim.clear()
    const nodeKey = await begunKey(places.key, keyStorage)
    await createStore({ folder: draft, now: () => systemClock.now() }, newId(), await createSeal(nodeKey), productVersion())
    await mkdir(places.files, { recursive: true, mode: 0o700 })
    await writeSettings(places.config, settings)
    const firstAccount = first === undefined ? {} : await accounts?.createFirstAccount({ ...first, draft, key: places.key, passphrase: passphraseOf(keyStorage) })
    await rename(draft, places.store)
    at = places.store
    await syncFolder(places.home)
    return firstAccount ?? {}
  } catch (error) {
    // The key is removed first, so that a crash here still leaves a recognisable draft.
    if (!hadKey && at === draft && !hasStore(places)) await forgetNodeKey(places.key)
    if (at === draft && (!hadKey || hasStore(places))) await rm(draft, { recursive: true, force: true })
    throw error
  } finally {
    claim.release(at)
  }
}

const passphraseOf = (keyStorage: KeyStorageOptions): Opening['passphrase'] =>
  keyStorage.by === 'passphrase' ? () => Promise.resolve(keyStorage.passphrase) : undefined

/** Returns the key of an interrupted creation, or a new one, stored with the given options. */
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
