/** Accesses: who may call, with which rights (specification, "Access"). */
import type { ClientData, Seconds } from './event.js'

export type AccessType = 'personal' | 'app' | 'shared'

export type Level = 'none' | 'read' | 'create-only' | 'contribute' | 'manage'

export interface StreamPermission {
  /** A stream id, or `*` for all. */
  streamId: string
  level: Level
}

export interface TagPermission {
  tag: string
  level: Level
}

export interface FeaturePermission {
  feature: string
  setting: 'forbidden' | 'allowed'
}

export type Permission = StreamPermission | TagPermission | FeaturePermission

/** An access as it is stored; its token is kept apart, sealed. */
export interface Access {
  id: string
  type: AccessType
  name: string
  deviceName?: string
  /** Absent for personal accesses, which may do everything. */
  permissions?: Permission[]
  expires?: Seconds
  clientData?: ClientData
  created: Seconds
  createdBy: string
  modified: Seconds
  modifiedBy: string
  integrity?: string
}
