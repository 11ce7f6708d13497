/** Accesses: who may call, with which rights (specification, "Access"). */
import type { Causal } from './accessMerge.js'
import type { ClientData, Seconds } from './event.js'

export type AccessType = 'personal' | 'app' | 'shared'

export const LEVELS = ['none', 'read', 'create-only', 'contribute', 'manage'] as const

export type Level = (typeof LEVELS)[number]

/** Base ids are made by nodes; they are parts of keys. */
export const ACCESS_ID = /^[\w-]{1,64}$/

export interface StreamPermission {
  /** A stream id, or `*` for all. */
  streamId: string
  level: Level
}

export interface TagPermission {
  /** A tag, or `*` for all. */
  tag: string
  level: Level
}

export interface FeaturePermission {
  feature: string
  setting: 'forbidden' | 'allowed'
  /** Of `forcedStreams` only: streams of which every event read must have one each. */
  streams?: string[]
}

export type Permission = StreamPermission | TagPermission | FeaturePermission

/** An access as it is stored; its token is kept apart, sealed. */
export interface Access {
  /** The base id, which never changes; `accessIdOf` gives the id that clients see. */
  id: string
  type: AccessType
  name: string
  deviceName?: string
  /** Absent for personal accesses, which may do everything. */
  permissions?: Permission[]
  expires?: Seconds
  clientData?: ClientData
  /** Stands for the user name in addresses. */
  alias?: string
  /** How often the access was updated; absent: never. Not shown to clients. */
  serial?: number
  /** Base id of the app that made this shared access and bounds it. Not shown to clients. */
  manager?: string
  /** Causal state for merging copies; absent before the first edit. Hidden from clients. */
  causal?: Causal
  created: Seconds
  createdBy: string
  modified: Seconds
  modifiedBy: string
  integrity?: string
}

/** What is kept of a deleted access. */
export interface AccessDeletion extends Access {
  deleted: Seconds
}

/** The id of an access as clients see it: `<base>`, and `<base>:<serial>` once it was updated (data supplement 6.1). */
export function accessIdOf({ id, serial }: Pick<Access, 'id' | 'serial'>): string {
  return serial === undefined ? id : `${id}:${serial}`
}

/** The parts of an id that a client gave; without a serial it means the access whatever its version. */
export function parseAccessId(text: string): { base: string; serial?: number } {
  const match = /^(.+):(\d{1,15})$/.exec(text)
  return match === null ? { base: text } : { base: match[1] ?? '', serial: Number(match[2]) }
}

/** Whether an access can no longer be used at `now`, in seconds. */
export const isExpired = ({ expires }: Pick<Access, 'expires'>, now: Seconds): boolean =>
  expires !== undefined && expires <= now

/** What makes an access its own among those of an account: no two have the same (specification, "Access"). */
export interface AccessName {
  type: AccessType
  name: string
  deviceName?: string
}

const ALIAS = /^r-[a-z0-9]{8}$/

/** Whether a text has the form of an alias. */
export const isAlias = (text: string): boolean => ALIAS.test(text)
