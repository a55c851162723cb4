// The states every view has besides its data: loading, empty, failed, forbidden.

import { Button, Loader } from "@mantine/core";
import { IconAlertTriangle, IconCloudOff, IconInbox, IconLock } from "@tabler/icons-react";
import { notifyManager, type UseQueryResult } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { ApiError, errorText } from "@/api/http";
import { t } from "@/lib/i18n";
import { hasChangedForms } from "./changed-forms";
import { useKeptErrors } from "./kept-errors";
import classes from "./states.module.css";

// what is there sooner than this needs no sign of waiting
const LOADING_AFTER_MS = 150;

export function LoadingState() {
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), LOADING_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes["state"]} role="status" aria-label={t("Loading")}>
      {visible ? <Loader size="sm" type="dots" /> : null}
    </div>
  );
}

export interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** `children` says or does the next step. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className={classes["state"]}>
      <IconInbox size={28} stroke={1.4} aria-hidden />
      <strong>{title}</strong>
      {children === undefined ? null : <div className={classes["more"]}>{children}</div>}
    </div>
  );
}

export interface FailedStateProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

export function FailedState({ error, onRetry }: FailedStateProps) {
  if (error instanceof ApiError && error.kind === "forbidden") {
    return (
      <div className={classes["state"]} role="alert">
        <IconLock size={28} stroke={1.4} aria-hidden />
        <strong>{t("You have no access to this.")}</strong>
        <div className={classes["more"]}>
          {t("Ask an administrator for the required permission.")}
        </div>
      </div>
    );
  }
  return (
    <ErrorNote
      icon={<IconCloudOff size={28} stroke={1.4} aria-hidden />}
      title={t("This could not be loaded.")}
      error={error}
      onRetry={onRetry}
    />
  );
}

/** What there is nothing to look at of, for those who may not change it; `children` says why. */
export function LockedState({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes["state"]} role="note">
      <IconLock size={28} stroke={1.4} aria-hidden />
      <strong>{children}</strong>
    </div>
  );
}

/** The error of a part of the page itself; what the server refused is said as everywhere. */
export function BrokenState({ error, onRetry }: FailedStateProps) {
  if (error instanceof ApiError) return <FailedState error={error} onRetry={onRetry} />;
  return (
    <ErrorNote
      icon={<IconAlertTriangle size={28} stroke={1.4} aria-hidden />}
      title={t("This part of the page cannot be shown.")}
      error={error}
      onRetry={onRetry}
    />
  );
}

interface ErrorNoteProps extends FailedStateProps {
  readonly icon: ReactNode;
  readonly title: string;
}

function ErrorNote({ icon, title, error, onRetry }: ErrorNoteProps) {
  return (
    <div className={classes["state"]} role="alert">
      {icon}
      <strong>{title}</strong>
      <div className={classes["more"]}>{errorText(error)}</div>
      {onRetry === undefined ? null : (
        <Button variant="default" onClick={onRetry}>
          {t("Try again")}
        </Button>
      )}
    </div>
  );
}

export interface QueryGateProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/**
 * Data once there are some; they stay on the screen while a refresh runs or fails. What failed says so until there
 * is an answer, also while it is asked again.
 */
export function QueryGate<T>({ query, children }: QueryGateProps<T>) {
  const [error] = useKeptErrors([query]);
  const isOfBefore = query.isPlaceholderData && error !== undefined;
  if (query.data !== undefined && !isOfBefore) {
    return <Reloadable refetch={query.refetch}>{children(query.data)}</Reloadable>;
  }
  if (error !== undefined) return <FailedState error={error} onRetry={() => query.refetch()} />;
  return <LoadingState />;
}

export interface ObjectGateProps<T> {
  /** null: there is no such object */
  readonly query: UseQueryResult<T | null>;
  readonly absent: ReactNode;
  readonly children: (object: T) => ReactNode;
}

/** An object that may not be there. One that goes while a form of it holds something unsaved takes nothing with it. */
export function ObjectGate<T>({ query, absent, children }: ObjectGateProps<T>) {
  return (
    <QueryGate query={query}>
      {(object) => (
        <Kept object={object} absent={absent}>
          {children}
        </Kept>
      )}
    </QueryGate>
  );
}

interface KeptProps<T> extends Pick<ObjectGateProps<T>, "absent" | "children"> {
  readonly object: T | null;
}

function Kept<T>({ object, absent, children }: KeptProps<T>) {
  const [last, setLast] = useState(object);
  if (object !== null && object !== last) setLast(object);
  const shown = object ?? (hasChangedForms() ? last : null);
  return <Gone value={object === null}>{shown === null ? absent : children(shown)}</Gone>;
}

const Gone = createContext(false);

/** The object of the form was deleted while it is open. */
export function useGone(): boolean {
  return useContext(Gone);
}

const Reload = createContext<() => Promise<void>>(async () => {});

/** Fetches everything that this part of the page shows again, and draws it when all answers are in. */
export function useReload(): () => Promise<void> {
  return useContext(Reload);
}

interface ReloadableProps {
  readonly refetch: () => Promise<unknown>;
  readonly children: ReactNode;
}

function Reloadable({ refetch, children }: ReloadableProps) {
  const outer = useContext(Reload);
  const reload = useCallback(async () => {
    await Promise.all([outer(), refetch()]);
    // answers are handed to components in turn: after those of the answers above
    await new Promise<void>((done) => notifyManager.schedule(done));
  }, [outer, refetch]);
  return <Reload value={reload}>{children}</Reload>;
}
