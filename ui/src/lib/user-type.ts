// Types of users. Each has what the one before has.

export const USER = 1;
export const ADMIN = 2;
export const SUPER_ADMIN = 3;
