// The policy that the server sends with every page (crates/api/src/http), for the built pages that Vite serves.

export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " +
  "frame-src http: https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
