/** Texts that the operator's pages have in every language. */
export interface OperatorWords {
  title: string
  close: string
  tabs: { health: string; accounts: string; invitations: string; mail: string; certificates: string; log: string }
  key: { text: string; label: string; hint: string; open: string; none: string; elsewhere: string; wrong: string }
  health: {
    asOf(time: string): string
    refresh(seconds: number): string
    stop: string
    node: string
    state: string
    states: { writable: string; full: string; 'read-only': string }
    stateProblem: { full: string; 'read-only': string }
    version: string
    started: string
    address: string
    lastMinute: string
    calls: string
    failed: string
    refused: string
    median: string
    slowest: string
    ms(value: string): string
    store: string
    accounts: string
    commits: string
    size: string
    free: string
    memory: string
    problems: string
    findProblems: string
    noProblems: string
    damage(found: number, time: string): string
    backupOff: string
    backupNone: string
    backupLate(time: string): string
    certificate(days: number): string
    webhook(user: string, host: string): string
    repaired(user: string, count: number): string
    peers: string
    noPeers: string
    peer: string
    account: string
    contact: string
    never: string
    paused: string
    peerStates: { 'in-sync': string; syncing: string; behind: string; offline: string; refused: string }
    morePeers(count: number): string
  }
  accounts: {
    find: string
    search: string
    invite: string
    count(found: number, all: number): string
    none: string
    username: string
    email: string
    size: string
    streams: string
    lastUsed: string
    created: string
    never: string
    previous: string
    next: string
  }
  account: {
    back: string
    unknown: string
    facts: string
    accesses: string
    data: string
    files: string
    limits: string
    kinds: { default: string; unlimited: string; own: string }
    megabytes(of: string): string
    wrongLimit: string
    signIn: string
    sessionsText: string
    endSessions: string
    noFactor: string
    factorText: string
    removeFactor: string
    /** Titles of the pages that confirm these actions. */
    confirm: Readonly<Record<'sessions' | 'factor', string>>
    notices: Readonly<Record<string, string>>
  }
  invitations: {
    required: string
    open: string
    count: string
    wrongCount(max: number): string
    note: string
    noteHint: string
    create: string
    created: string
    list: string
    none: string
    noNote: string
    madeOn(day: string): string
    usedOn(day: string, by: string | undefined): string
    isUsed: string
    revoke: string
    revoked: string
    unknown: string
    used: string
  }
  mail: {
    recipient: string
    type: string
    language: string
    send: string
    sent: string
    notSent: string
    setting: string
    conversation: string
    wrong: string
    noTemplate: string
  }
  certificates: {
    on: string
    off: string
    fault: string
    none: string
    name: string
    issued: string
    ends: string
    days: string
    renew: string
    renewed: string
  }
  log: {
    level: string
    levels: { debug: string; info: string; warn: string; error: string }
    text(max: number): string
    none: string
  }
}
