/**
 * Account streams: the streams of an account's own fields, one event each (docs/interface/account-streams.md). They are part of
 * every account's tree but are not stored; the fields are configured.
 */
import { isAccountStreamId } from './slug.js'
import type { Stream, StreamView } from './stream.js'

/** A field as configured by the operator (`custom.systemStreams.account`). */
interface FieldDefinition {
  id: string
  type: string
  name?: string | undefined
  isShown: boolean
  isEditable: boolean
  isIndexed: boolean
  isUnique: boolean
  isRequiredInValidation: boolean
  default?: string | number | boolean | null | undefined
  regexValidation?: string | undefined
  regexError?: { message: string; code: string } | undefined
  children?: FieldDefinition[] | undefined
}

/** An account field and its stream. */
export interface AccountField extends FieldDefinition {
  /** `:_system:language` or `:system:email`. */
  streamId: string
  parentId: string
  /** True when it contains other fields and has no event of its own. */
  isContainer: boolean
}

export interface SystemStreams {
  /** All fields, shown and hidden, parents before children. */
  readonly fields: readonly AccountField[]
  /** Returns the field of a stream id, including hidden ones. */
  byStream(streamId: string): AccountField | undefined
  /** Returns the field by name, such as `email`. */
  byName(name: string): AccountField | undefined
  /** Checks whether a stream is an account stream, by its id alone. */
  owns(streamId: string): boolean
  /** Ids of all shown streams, containers included. */
  readonly shownStreams: readonly string[]
  /** Lists a shown stream and its descendants. */
  subtree(streamId: string): string[]
  /** Returns a shown stream as in `streams.get`. */
  view(streamId: string): StreamView | undefined
}

export const ACCOUNT_ROOT = ':_system:account'
/** Streams for the size in bytes of an account's records and attached files. */
export const DB_DOCUMENTS = ':_system:dbDocuments'
export const ATTACHED_FILES = ':_system:attachedFiles'
/** Account streams whose events are sizes counted by the node. */
export const COUNTERS = [DB_DOCUMENTS, ATTACHED_FILES] as const
export const isCounter = (id: string): boolean => COUNTERS.some((counter) => counter === id)

/** Placeholder for the unknown creation time of account streams, as sent to clients. */
export const UNKNOWN_DATE = 10000000.00000001
/** Placeholder for the root of a store. */
export const STORE_DATE = 10000001.00000001

const builtIn = (
  id: string,
  name: string,
  type: string,
  flags: Partial<FieldDefinition>,
): FieldDefinition => ({
  id,
  name,
  type,
  isShown: false,
  isEditable: false,
  isIndexed: false,
  isUnique: false,
  isRequiredInValidation: false,
  ...flags,
})

const BUILT_IN: FieldDefinition[] = [
  builtIn('language', 'Language', 'language/iso-639-1', {
    isShown: true,
    isEditable: true,
    isIndexed: true,
    default: 'en',
  }),
  builtIn('appId', 'App id', 'identifier/string', { isIndexed: true, isRequiredInValidation: true }),
  builtIn('invitationToken', 'Invitation token', 'token/string', { isIndexed: true, default: 'no-token' }),
  builtIn('referer', 'Referer', 'identifier/string', { isIndexed: true, default: null }),
  builtIn('storageUsed', 'Storage used', 'data-quantity/b', {
    isShown: true,
    children: [
      builtIn('dbDocuments', 'Db Documents', 'data-quantity/b', { isShown: true, default: 0 }),
      builtIn('attachedFiles', 'Attached files', 'data-quantity/b', { isShown: true, default: 0 }),
    ],
  }),
]

/** Creates the account streams of a node with these custom fields. */
export function createSystemStreams(custom: readonly FieldDefinition[]): SystemStreams {
  const fields: AccountField[] = []
  const add = (list: readonly FieldDefinition[], prefix: string, parentId: string): void => {
    for (const field of list) {
      const streamId = prefix + field.id
      const isContainer = field.children !== undefined && field.children.length > 0
      fields.push({ ...field, streamId, parentId, isContainer })
      add(field.children ?? [], prefix, streamId)
    }
  }
  add(BUILT_IN, ':_system:', ACCOUNT_ROOT)
  add(custom, ':system:', ACCOUNT_ROOT)

  const byStream = new Map(fields.map((field) => [field.streamId, field]))
  const byName = new Map(fields.map((field) => [field.id, field]))
  const shown = fields.filter((field) => field.isShown)
  const root: Stream = {
    id: ACCOUNT_ROOT,
    name: 'Account',
    parentId: null,
    created: UNKNOWN_DATE,
    createdBy: 'system',
    modified: UNKNOWN_DATE,
    modifiedBy: 'system',
  }

  function childrenOf(streamId: string): StreamView[] {
    return shown.filter((field) => field.parentId === streamId).map((field) => viewOf(field))
  }

  function viewOf(field: AccountField): StreamView {
    return {
      ...root,
      id: field.streamId,
      name: field.name ?? field.id,
      parentId: field.parentId,
      children: childrenOf(field.streamId),
    }
  }

  function view(streamId: string): StreamView | undefined {
    if (streamId === ACCOUNT_ROOT) return { ...root, children: childrenOf(ACCOUNT_ROOT) }
    const field = byStream.get(streamId)
    return field?.isShown === true ? viewOf(field) : undefined
  }

  return {
    fields,
    byStream: (streamId) => byStream.get(streamId),
    byName: (name) => byName.get(name),
    owns: isAccountStreamId,
    shownStreams: [ACCOUNT_ROOT, ...shown.map((field) => field.streamId)],
    subtree(streamId) {
      const ids: string[] = []
      const queue = [view(streamId)]
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        ids.push(next.id)
        queue.push(...next.children)
      }
      return ids
    },
    view,
  }
}
