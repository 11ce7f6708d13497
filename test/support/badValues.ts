/** Values that every way to set an account field refuses. */

export const badEmails = [
  'notanemail', '@example.org', 'ana@', 'ana@@example.org', 'ana@exam ple.org', 'a na@example.org', 'ana@.', 'ana@example..org', 'ana@.org',
  'ana@example.', 'ana@-example.org', 'ana@example.org,bob@example.org', 'Ana <ana@example.org>', '-oQ/tmp@example.org', 'ana@example.org\nBcc: bob@x.org',
] as const

export const goodEmails = ['a@b', 'ana+tag@example.org', "o'neil.x_y@sub.exa-mple.co.uk", 'anä@exämple.org', 'ana@127.0.0.1'] as const

export const badLanguages = ['e', 'xxxx', '5', '55', 'eng', 'e-', 'en-', 'en_US', 'en-U', 'en US'] as const

export const goodLanguages = ['en', 'FR', 'pt-BR', 'de-ch'] as const
