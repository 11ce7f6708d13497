/** Sections of the console, in the order of its navigation. */
import type { Icon } from './icons.js'

export interface Section {
  id: SectionId
  /** Path of its first page, below the root of the pages. */
  path: string
  icon: Icon
}

export type SectionId = 'overview' | 'data' | 'charts' | 'files' | 'people' | 'devices' | 'activity' | 'settings' | 'operator'

/** Sections of an account. The section of the operator is shown on its own pages only. */
export const accountSections: readonly Section[] = [
  { id: 'overview', path: '/overview', icon: 'home' },
  { id: 'data', path: '/data', icon: 'list' },
  { id: 'charts', path: '/charts', icon: 'chart' },
  { id: 'files', path: '/files', icon: 'file' },
  { id: 'people', path: '/access', icon: 'people' },
  { id: 'devices', path: '/devices', icon: 'devices' },
  { id: 'activity', path: '/activity', icon: 'clock' },
  { id: 'settings', path: '/settings', icon: 'gear' },
]

export const operatorSection: Section = { id: 'operator', path: '/operator', icon: 'server' }
