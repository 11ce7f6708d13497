/**
 * Serialises a value to the same JSON text on every node: keys in UTF-16 code-unit order at every depth, no undefined members.
 */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members = value as Readonly<Record<string, unknown>>
  const parts: string[] = []
  for (const key of Object.keys(members).sort()) {
    if (members[key] !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalText(members[key])}`)
  }
  return `{${parts.join(',')}}`
}
