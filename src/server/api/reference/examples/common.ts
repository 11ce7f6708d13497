/** Names and items shared by examples of several methods. */

/** 2026-01-01T00:00:00Z, in seconds. */
export const TIME = 1767225600
export const NODE = 'https://node.example.org/'
export const TOKEN = 'ck7f2rwq40001l5s1x9d8h3kz'
export const EVENT_ID = 'cmh2x8zk90000p8s1d4v7q2wb'
export const ACCESS_ID = 'cmh2x7p1c0000m2s1a8r5t6ye'
export const MFA_TOKEN = 'cmh30f6d20000v1s1n4k8p7jq'
export const RELATION_ID = 'cmh31b9e30000d7s1z2x5c8vn'

const tracking = { created: TIME, createdBy: ACCESS_ID, modified: TIME, modifiedBy: ACCESS_ID }

export const stream = { id: 'weight', name: 'Weight', parentId: null, children: [], ...tracking }

export const event = {
  id: EVENT_ID,
  streamIds: ['weight'],
  streamId: 'weight',
  type: 'mass/kg',
  time: TIME,
  content: 72.4,
  tags: [],
  ...tracking,
}

const { content: _, ...withoutContent } = event

export const eventWithFile = {
  ...withoutContent,
  type: 'picture/attached',
  attachments: [{ id: 'cmh2xa1b20000q3s1f6g7h8jk', fileName: 'scale.jpg', type: 'image/jpeg', size: 48213, readToken: 'cmh2xa1b20000q3s1f6g7h8jk-Jd8fKq2' }],
}

export const permissions = [{ streamId: 'weight', level: 'read' }]
export const requested = [{ streamId: 'weight', level: 'contribute', defaultName: 'Weight' }]

export const access = {
  id: 'cmh2xc3d40000r4s1k9l8m7np',
  token: TOKEN,
  apiEndpoint: `https://${TOKEN}@node.example.org/ana-lovelace/`,
  type: 'shared',
  name: 'Dr Weber',
  permissions,
  expires: TIME + 2_592_000,
  ...tracking,
}

export const account = {
  username: 'ana-lovelace',
  email: 'ana@example.org',
  language: 'en',
  storageUsed: { dbDocuments: 18_432, attachedFiles: 48_213 },
  emails: [{ value: 'ana@example.org', primary: true, status: 'verified', verifiedAt: TIME, verificationMethod: 'registration' }],
}

export const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 72.4], [1, 72.5]] }

export const summary = {
  ...{ fromDeltaTime: 0, toDeltaTime: 60, count: 2, fields: ['value'] },
  buckets: { from: [0], to: [1], count: [2] },
  values: { value: { count: [2], min: [72.4], max: [72.5], mean: [72.45] } },
}

export const serviceInfo = {
  serial: '3f9a0c51d27be846',
  api: 'https://node.example.org/{username}/',
  access: 'https://node.example.org/reg/access/',
  register: 'https://node.example.org/reg/',
  name: 'Example node',
  home: NODE,
  support: NODE,
  terms: NODE,
  eventTypes: `${NODE}assets/event-types/flat.json`,
  version: '2.0.0',
  assets: { definitions: `${NODE}assets/index.json` },
  features: {
    contentQueries: true,
    seriesSummary: true,
    mfa: { methods: ['totp'] },
    emailVerification: { atRegistration: false, onAccount: true },
    delegation: true,
  },
}
