export function Logo({ size = 22 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#10141b" />
      <path
        d="M5 21c6-1 8-4 10-9 1 4 0 6-1 8 5-1 9-5 12-11-1 9-6 15-14 15-3 0-5-1-7-3z"
        fill="#3fb6c6"
      />
    </svg>
  );
}
