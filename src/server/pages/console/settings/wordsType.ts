/** Texts that the settings have in every language. */
export interface SettingsWords {
  back: string
  acting: string
  groups: { signIn: string; account: string; data: string; operator: string; danger: string }
  toOperator: string
  operatorText: string
  storage: string
  storageText(data: string, files: string): string
  wrongPassword: string
  yourPassword: string
  password: {
    link: string
    about: string
    title: string
    text: string
    old: string
    changed: string
    wrongOld: string
    tooEarly(days: number): string
    reused: string
    refused: string
  }
  factor: { title: string; onApp: string; onPhone: string; off: string; notOffered: string }
  sessions: {
    title: string
    about: string
    text: string
    pages: string
    current: string
    since: string
    lastUsed: string
    never: string
    expires(day: string): string
    end: string
    endOthers: string
    ended: string
    endedOthers: string
    password: string
  }
  name: {
    link: string
    title: string
    present: string
    text: string
    next: string
    rule: string
    left(count: number): string
    none(limit: number): string
    taken: string
    refused: string
    changed: string
  }
  emails: {
    title: string
    text: string
    none: string
    pendingCount(count: number): string
    primary: string
    verified: string
    verifiedOn(day: string): string
    pending: string
    add: string
    addHint: string
    save: string
    full: string
    resend: string
    makePrimary: string
    remove: string
    removeTitle: string
    removeText: string
    keep: string
    wrong: string
    taken: string
    refused: string
    notices: Readonly<Record<string, string>>
  }
  language: { title: string; text: string; label: string; changed: string }
  export: {
    title: string
    about: string
    text: string
    contents: readonly string[]
    without: string
    secret: string
    size(size: string): string
    prepare: string
    ready: string
    running: string
    download: string
    whole: string
  }
  backup: { title: string; unknown: string; none: string; latest(age: string): string; late: string }
  delete: {
    title: string
    about: string
    byOperator: string
    text: string
    exportFirst: string
    rule: string
    name: string
    hint: string
    wrongName: string
    button: string
    keep: string
    deletedTitle: string
    deletedText: string
    losses: {
      data(events: number | undefined, streams: number | undefined, bytes: number): string
      accesses(links: number, apps: number): string
      devices(count: number): string
      delegates(count: number): string
      sessions(count: number): string
      linkNames: string
      appNames: string
      deviceNames: string
    }
  }
}
